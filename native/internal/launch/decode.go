package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// RawObject is a JSON object that is passed on as it is.
type RawObject []byte

// MarshalJSON gives the object back.
func (o RawObject) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON takes objects only.
func (o *RawObject) UnmarshalJSON(data []byte) error {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("an object is expected")
	}
	*o = append((*o)[:0], data...)
	return nil
}

// Decode reads one record, at most MaxInput bytes, and refuses unknown fields
// and anything after the record.
func Decode(from io.Reader, into any) error {
	data, err := io.ReadAll(io.LimitReader(from, MaxInput+1))
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if len(data) > MaxInput {
		return Fail(InvalidArgument, nil, "the request is larger than %d bytes", MaxInput)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return Fail(InvalidArgument, err, "the request is not understood")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Fail(InvalidArgument, nil, "the request has something after its end")
	}
	return nil
}
