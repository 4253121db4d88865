// Package workspace copies a folder of the host to a sandbox's disk, tells what
// the sandbox changed there, and brings the changes back.
//
// The copy is made once, at create. Beside it, where nothing of the sandbox can
// reach, lies its base: every file as it was copied. What the sandbox has made of
// the copy is hostile: it is read by descriptor beneath the copy, with no link
// followed, sizes are capped, and no program reads it but this one.
package workspace
