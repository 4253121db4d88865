// Package text compares and merges texts by lines. It knows no files, takes no
// settings and runs no program: what a sandbox wrote is data here and nothing
// else.
package text
