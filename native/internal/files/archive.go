package files

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// archiveReader reads a tar: the classic format, ustar, GNU's and pax, sparse files in all four
// forms. archive/tar would do but for three things: it walks through the holes of a sparse file
// instead of telling where they are, takes an archive that is cut short between two entries for a
// whole one, and allocates forty times an entry. Nothing that it reads is believed: each length is
// checked before anything is allocated.
type archiveReader struct {
	from     io.Reader
	buffer   []byte
	rest     []byte // of the buffer, not yet read
	consumed int64
	left     int64 // of the entry's stored content
	padding  int   // behind it
	scratch  [blockSize]byte
	err      error // of `from`
}

// archived is one entry as the archive tells it.
type archived struct {
	name       string
	link       string
	kind       byte
	mode       uint32
	uid, gid   int64
	size       int64 // of the file; what is stored of a sparse one are its regions
	modifiedNs int64
	sparse     bool
	regions    []region
}

// Further entry types of the formats that are read.
const (
	typeRegularOld = 0
	typeDevice     = '3' // of characters
	typeDisk       = '4' // of blocks
	typeFifo       = '6'
	typeContiguous = '7'
	typeGlobal     = 'g'
	typeLongName   = 'L' // GNU
	typeLongLink   = 'K' // GNU
	typeSparse     = 'S' // GNU
)

const (
	// As much as an extended header, or a long name, may hold.
	specialMost = 1 << 20
	// As many regions as a sparse file may have: 16 MiB of memory.
	sparseRegionsMost = 1 << 20
)

// malformed is what is wrong with an archive; a stream's own errors are others.
type malformed string

func (m malformed) Error() string { return string(m) }

const cutShort = malformed("it is cut short")

func malformedf(format string, args ...any) error { return malformed(fmt.Sprintf(format, args...)) }

func newArchiveReader(from io.Reader) *archiveReader {
	return &archiveReader{from: from, buffer: make([]byte, transferBuffer)}
}

// fill reads more when everything was used; io.EOF at the end.
func (a *archiveReader) fill() error {
	for len(a.rest) == 0 {
		if a.err != nil {
			return a.err
		}
		var n int
		n, a.err = a.from.Read(a.buffer)
		a.rest = a.buffer[:n]
	}
	return nil
}

func (a *archiveReader) take(n int) []byte {
	taken := a.rest[:n]
	a.rest = a.rest[n:]
	a.consumed += int64(n)
	return taken
}

// window gives the next bytes of the entry's content, at most `most`, without copying: they are
// valid until the next call. Empty at the content's end.
func (a *archiveReader) window(most int64) ([]byte, error) {
	if most = min(most, a.left); most == 0 {
		return nil, nil
	}
	if err := a.fill(); err != nil {
		return nil, ended(err)
	}
	b := a.take(int(min(most, int64(len(a.rest)))))
	a.left -= int64(len(b))
	return b, nil
}

// ended makes the end of the stream what it is inside of an archive.
func ended(err error) error {
	if err == io.EOF {
		return cutShort
	}
	return err
}

// block gives the next 512 bytes, valid until the next call; io.EOF when there is not one byte.
func (a *archiveReader) block() ([]byte, error) {
	if len(a.rest) >= blockSize {
		return a.take(blockSize), nil
	}
	for n := 0; ; {
		if err := a.fill(); err != nil {
			if n > 0 {
				err = ended(err)
			}
			return nil, err
		}
		n += copy(a.scratch[n:], a.take(min(len(a.rest), blockSize-n)))
		if n == blockSize {
			return a.scratch[:], nil
		}
	}
}

// skip leaves what is left of the entry behind.
func (a *archiveReader) skip() error {
	for a.left > 0 {
		if _, err := a.window(a.left); err != nil {
			return err
		}
	}
	for a.padding > 0 {
		if err := a.fill(); err != nil {
			return ended(err)
		}
		a.padding -= len(a.take(min(len(a.rest), a.padding)))
	}
	return nil
}

// drain reads to the end of the stream what pads an archive.
func (a *archiveReader) drain() error {
	for {
		if err := a.fill(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a.take(len(a.rest))
	}
}

// special reads the whole content of an entry that describes the next.
func (a *archiveReader) special(size int64) (string, error) {
	if size > specialMost {
		return "", malformedf("an extended header has %d bytes", size)
	}
	var text strings.Builder
	text.Grow(int(size))
	a.left, a.padding = size, padding(size)
	for a.left > 0 {
		b, err := a.window(a.left)
		if err != nil {
			return "", err
		}
		text.Write(b)
	}
	return text.String(), a.skip()
}

// next leaves the entry before behind and describes the next one in e; io.EOF at the archive's end.
func (a *archiveReader) next(e *archived) error {
	if err := a.skip(); err != nil {
		return err
	}
	var extended records
	longName, longLink := "", ""
	for {
		block, err := a.block()
		if err != nil {
			return ended(err)
		}
		if isZero(block) {
			return a.end(longName == "" && longLink == "" && !extended.any)
		}
		*e = archived{regions: e.regions[:0]}
		if err := e.parse(block); err != nil {
			return err
		}
		stored := e.size
		switch e.kind {
		case typeExtended:
			text, err := a.special(stored)
			if err == nil {
				extended.any = true
				err = extended.parse(text)
			}
			if err != nil {
				return err
			}
			continue
		case typeGlobal:
			if _, err := a.special(stored); err != nil {
				return err
			}
			continue
		case typeLongName, typeLongLink:
			text, err := a.special(stored)
			if err != nil {
				return err
			}
			text, _, _ = strings.Cut(text, "\x00")
			if e.kind == typeLongName {
				longName = text
			} else {
				longLink = text
			}
			continue
		}
		return a.begin(e, block, stored, longName, longLink, &extended)
	}
}

// end wants the second block of zeros.
func (a *archiveReader) end(whole bool) error {
	block, err := a.block()
	if err != nil {
		return ended(err)
	}
	if !whole || !isZero(block) {
		return malformed("it ends in the middle")
	}
	return io.EOF
}

// begin completes an entry by what came before it and finds where its content is.
func (a *archiveReader) begin(e *archived, block []byte, stored int64, longName, longLink string, extended *records) error {
	if longName != "" {
		e.name = longName
	}
	if longLink != "" {
		e.link = longLink
	}
	if e.kind == typeRegularOld {
		e.kind = typeRegular
		if strings.HasSuffix(e.name, "/") {
			e.kind = typeFolder
		}
	}
	if extended.size.given {
		stored = extended.size.value
	}
	extended.apply(e)
	switch e.kind {
	case typeHardlink, typeSymlink, typeDevice, typeDisk, typeFolder, typeFifo:
		stored = 0 // whatever their size says, nothing is stored
	}
	if stored < 0 {
		return malformed("a size is negative")
	}
	e.size, a.left, a.padding = stored, stored, padding(stored)
	switch {
	case e.kind == typeSparse:
		if err := a.oldSparse(e, block); err != nil {
			return err
		}
		a.left, a.padding = stored, padding(stored)
		e.kind = typeRegular
	case e.kind == typeRegular && extended.sparse():
		if err := a.extendedSparse(e, extended); err != nil {
			return err
		}
	default:
		return nil
	}
	e.sparse = true
	return e.checkRegions(a.left)
}

// checkRegions wants them rising, apart, inside of the file, and exactly what is stored.
func (e *archived) checkRegions(stored int64) error {
	if e.size < 0 {
		return malformed("the size of a sparse file is negative")
	}
	at, sum := int64(0), int64(0)
	for _, r := range e.regions {
		if r.from < at || r.to < r.from || r.to > e.size {
			return malformed("the map of a sparse file is in disorder")
		}
		at = r.to
		sum += r.to - r.from
	}
	if sum != stored {
		return malformed("the map of a sparse file is not that of its content")
	}
	return nil
}

func (e *archived) region(offset, length int64) error {
	if len(e.regions) == sparseRegionsMost {
		return malformedf("a sparse file has more than %d regions", sparseRegionsMost)
	}
	if offset < 0 || length < 0 || length > math.MaxInt64-offset {
		return malformed("the map of a sparse file is in disorder")
	}
	e.regions = append(e.regions, region{offset, offset + length})
	return nil
}

// oldSparse reads GNU's old form: four regions in the header, 21 in each block behind it.
func (a *archiveReader) oldSparse(e *archived, block []byte) error {
	size, err := number(block[483:495])
	if err != nil {
		return err
	}
	e.size = size
	table, more := block[386:482], block[482] != 0
	for {
		for ; len(table) >= 24; table = table[24:] {
			if table[0] == 0 {
				break
			}
			offset, err := number(table[:12])
			if err != nil {
				return err
			}
			length, err := number(table[12:24])
			if err != nil {
				return err
			}
			if err := e.region(offset, length); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		if block, err = a.block(); err != nil {
			return ended(err)
		}
		table, more = block[:504], block[504] != 0
	}
}

// extendedSparse reads the map of the pax forms: 0.0 and 0.1 have it in the extended header, 1.0
// at the start of the content.
func (a *archiveReader) extendedSparse(e *archived, x *records) error {
	if x.sparseName != "" {
		e.name = x.sparseName
	}
	size, inContent := x.sparseSize, false
	switch x.major + "." + x.minor {
	case ".", "0.0", "0.1":
	case "1.0":
		size, inContent = x.realSize, true
	default:
		return malformedf("sparse files of version %.10q are not known", x.major+"."+x.minor)
	}
	if !size.given {
		return malformed("a sparse file has no size")
	}
	e.size = size.value
	if inContent {
		return a.mapInContent(e)
	}
	return x.addRegions(e)
}

func (a *archiveReader) mapInContent(e *archived) error {
	lines := contentLines{archive: a}
	count, err := lines.number()
	if err != nil {
		return err
	}
	if count < 0 || count > sparseRegionsMost {
		return malformedf("a sparse file has %d regions", count)
	}
	for range count {
		offset, err := lines.number()
		if err != nil {
			return err
		}
		length, err := lines.number()
		if err != nil {
			return err
		}
		if err := e.region(offset, length); err != nil {
			return err
		}
	}
	return nil
}

// contentLines reads numbers, one a line, from whole blocks of an entry's content.
type contentLines struct {
	archive *archiveReader
	block   [blockSize]byte
	rest    []byte
}

func (c *contentLines) number() (int64, error) {
	var digits [20]byte
	for n := 0; ; {
		if len(c.rest) == 0 {
			if err := c.fill(); err != nil {
				return 0, err
			}
		}
		b := c.rest[0]
		c.rest = c.rest[1:]
		if b == '\n' {
			return decimal(string(digits[:n]))
		}
		if n == len(digits) {
			return 0, malformed("the map of a sparse file holds no numbers")
		}
		digits[n] = b
		n++
	}
}

func (c *contentLines) fill() error {
	n := 0
	for n < blockSize {
		b, err := c.archive.window(int64(blockSize - n))
		if err != nil {
			return err
		}
		if len(b) == 0 {
			return malformed("the map of a sparse file does not end")
		}
		n += copy(c.block[n:], b)
	}
	c.rest = c.block[:]
	return nil
}

// parse reads a header block.
func (e *archived) parse(block []byte) error {
	if err := checksum(block); err != nil {
		return err
	}
	var err error
	field := func(from, to int) (value int64) {
		if err == nil {
			value, err = number(block[from:to])
		}
		return value
	}
	e.name = text(block[0:100])
	e.mode = uint32(field(100, 108)) & modeBits
	e.uid, e.gid = field(108, 116), field(116, 124)
	e.size = field(124, 136)
	seconds := field(136, 148)
	e.kind = block[156]
	e.link = text(block[157:257])
	if err != nil {
		return err
	}
	if e.size < 0 {
		return malformed("a size is negative")
	}
	e.modifiedNs = nanoseconds(seconds, 0)
	if string(block[257:263]) != "ustar\x00" { // GNU's magic has a blank; its fields behind are others
		return nil
	}
	prefix := block[345:500]
	if string(block[508:512]) == "tar\x00" { // star's
		prefix = block[345:476]
	}
	if p := text(prefix); p != "" {
		e.name = p + "/" + e.name
	}
	return nil
}

// checksum accepts the sum of the bytes as unsigned and, as some old programs wrote it, signed.
func checksum(block []byte) error {
	said, err := number(block[148:156])
	if err != nil {
		return err
	}
	unsigned, signed := int64(8*' '), int64(8*' ')
	for i, b := range block[:blockSize] {
		if i >= 148 && i < 156 {
			continue
		}
		unsigned += int64(b)
		signed += int64(int8(b))
	}
	if said != unsigned && said != signed {
		return malformed("a header's checksum is wrong")
	}
	return nil
}

// text is a field up to its NUL.
func text(field []byte) string {
	for i, b := range field {
		if b == 0 {
			return string(field[:i])
		}
	}
	return string(field)
}

// number is a field of octal digits or, with the highest bit set, a big-endian binary number.
func number(field []byte) (int64, error) {
	if field[0]&0x80 != 0 {
		return binaryNumber(field)
	}
	start, end := 0, len(field)
	for start < end && (field[start] == ' ' || field[start] == 0) {
		start++
	}
	for end > start && (field[end-1] == ' ' || field[end-1] == 0) {
		end--
	}
	value := int64(0)
	for _, b := range field[start:end] {
		if b == 0 { // what follows a NUL is not looked at
			break
		}
		if b < '0' || b > '7' {
			return 0, malformed("a header holds no octal number where one is due")
		}
		if value > math.MaxInt64>>3 {
			return 0, malformed("a header's number is too large")
		}
		value = value<<3 | int64(b-'0')
	}
	return value, nil
}

// binaryNumber is a two's complement number whose highest bit only says that it is binary, the next its sign.
func binaryNumber(field []byte) (int64, error) {
	negative := field[0]&0x40 != 0
	fill := byte(0)
	if negative {
		fill = 0xff
	}
	value := uint64(0)
	for i, b := range field {
		if i == 0 {
			b &= 0x7f
			if negative {
				b |= 0x80
			}
		}
		if i < len(field)-8 {
			if b != fill {
				return 0, malformed("a header's number is too large")
			}
			continue
		}
		value = value<<8 | uint64(b)
	}
	if len(field) <= 8 {
		shift := uint(64 - 8*len(field))
		return int64(value<<shift) >> shift, nil
	}
	if (int64(value) < 0) != negative {
		return 0, malformed("a header's number is too large")
	}
	return int64(value), nil
}

func decimal(text string) (int64, error) {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text[0] == '+' {
		return 0, malformedf("%.40q is no number", text)
	}
	return value, nil
}

// nanoseconds moves a time into what 64 bits of nanoseconds hold.
func nanoseconds(seconds, part int64) int64 {
	const most = math.MaxInt64/1_000_000_000 - 1
	return min(max(seconds, -most), most)*1e9 + part
}

// records is what an extended header says of the entry behind it.
type records struct {
	any                   bool
	path, linkPath        optional[string]
	size, uid, gid, mtime optional[int64]

	major, minor, sparseName string
	realSize, sparseSize     optional[int64]
	sparseMap                string  // 0.1: offset and length, comma-separated
	pieces                   []int64 // 0.0: offsets and lengths in turn
	hasMap                   bool
}

type optional[T any] struct {
	value T
	given bool
}

// parse reads records of the form "length key=value\n", where length counts the whole record. A
// later one of a key counts.
func (x *records) parse(text string) error {
	for text != "" {
		digits, _, ok := strings.Cut(text[:min(len(text), 21)], " ")
		if !ok {
			return malformed("an extended header's record has no length")
		}
		length, err := decimal(digits)
		if err != nil || length <= int64(len(digits))+1 || length > int64(len(text)) || digits[0] == '-' {
			return malformed("an extended header's record has a wrong length")
		}
		record := text[len(digits)+1 : length]
		text = text[length:]
		if record[len(record)-1] != '\n' {
			return malformed("an extended header's record has no end")
		}
		key, value, ok := strings.Cut(record[:len(record)-1], "=")
		if !ok || key == "" {
			return malformed("an extended header's record has no key")
		}
		if err := x.set(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (x *records) set(key, value string) (err error) {
	if strings.IndexByte(value, 0) >= 0 && (key == "path" || key == "linkpath" || key == "GNU.sparse.name") {
		return malformed("an extended header's name holds a NUL byte")
	}
	switch key {
	case "path":
		x.path = optional[string]{value, true}
	case "linkpath":
		x.linkPath = optional[string]{value, true}
	case "size":
		err = setNumber(&x.size, value)
	case "uid":
		err = setNumber(&x.uid, value)
	case "gid":
		err = setNumber(&x.gid, value)
	case "mtime":
		x.mtime.given = value != ""
		x.mtime.value, err = timestamp(value)
	case "GNU.sparse.major":
		x.major = value
	case "GNU.sparse.minor":
		x.minor = value
	case "GNU.sparse.name":
		x.sparseName = value
	case "GNU.sparse.realsize":
		err = setNumber(&x.realSize, value)
	case "GNU.sparse.size":
		err = setNumber(&x.sparseSize, value)
	case "GNU.sparse.map":
		x.sparseMap, x.hasMap = value, true
	case "GNU.sparse.offset", "GNU.sparse.numbytes":
		// They come in turn; an offset at an odd place, or a length at an even one, is disorder.
		if (key == "GNU.sparse.offset") != (len(x.pieces)%2 == 0) {
			return malformed("the map of a sparse file is in disorder")
		}
		var piece int64
		piece, err = decimal(value)
		x.pieces, x.hasMap = append(x.pieces, piece), true
	}
	return err
}

// setNumber takes an empty value for none, as the standard has it.
func setNumber(to *optional[int64], value string) (err error) {
	if value == "" {
		*to = optional[int64]{}
		return nil
	}
	to.given = true
	to.value, err = decimal(value)
	return err
}

func (x *records) apply(e *archived) {
	if x.path.given && x.path.value != "" {
		e.name = x.path.value
	}
	if x.linkPath.given && x.linkPath.value != "" {
		e.link = x.linkPath.value
	}
	if x.uid.given {
		e.uid = x.uid.value
	}
	if x.gid.given {
		e.gid = x.gid.value
	}
	if x.mtime.given {
		e.modifiedNs = x.mtime.value
	}
}

func (x *records) sparse() bool {
	return x.major != "" || x.minor != "" || x.hasMap
}

func (x *records) addRegions(e *archived) error {
	if len(x.pieces)%2 != 0 {
		return malformed("the map of a sparse file is in disorder")
	}
	for i := 0; i < len(x.pieces); i += 2 {
		if err := e.region(x.pieces[i], x.pieces[i+1]); err != nil {
			return err
		}
	}
	for rest := x.sparseMap; rest != ""; {
		var from, length string
		from, rest, _ = strings.Cut(rest, ",")
		length, rest, _ = strings.Cut(rest, ",")
		offset, err := decimal(from)
		if err != nil {
			return err
		}
		size, err := decimal(length)
		if err != nil {
			return err
		}
		if err := e.region(offset, size); err != nil {
			return err
		}
	}
	return nil
}

// timestamp is seconds since 1970 with as many decimals as anyone wants.
func timestamp(value string) (int64, error) {
	if value == "" {
		return 0, nil
	}
	whole, part, _ := strings.Cut(value, ".")
	seconds, err := decimal(whole)
	if err != nil {
		return 0, malformedf("%.40q is no time", value)
	}
	ns := int64(0)
	for i := range 9 {
		digit := byte('0')
		if i < len(part) {
			digit = part[i]
		}
		if digit < '0' || digit > '9' {
			return 0, malformedf("%.40q is no time", value)
		}
		ns = ns*10 + int64(digit-'0')
	}
	if strings.HasPrefix(whole, "-") {
		ns = -ns
	}
	return nanoseconds(seconds, ns), nil
}
