package text

import "bytes"

// sniffed is how much of a file is looked at to tell whether it is text, as git
// does it.
const sniffed = 8000

// Binary says whether content is no text: it has a NUL near its beginning.
func Binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0
}

// Lines splits content behind each newline; the last line may lack its own.
func Lines(content []byte) [][]byte {
	if len(content) == 0 {
		return nil
	}
	lines := bytes.SplitAfter(content, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// numbered gives equal lines of both sides equal numbers.
func numbered(a, b [][]byte) (x, y []int) {
	known := make(map[string]int, len(a)+len(b))
	number := func(lines [][]byte) []int {
		numbers := make([]int, len(lines))
		for i, line := range lines {
			n, ok := known[string(line)]
			if !ok {
				n = len(known)
				known[string(line)] = n
			}
			numbers[i] = n
		}
		return numbers
	}
	return number(a), number(b)
}
