// Package version holds what the build stamped into the programs.
package version

// Build is YYYYMMDD-<git sha> of the commit that was built; the linker sets it.
var Build = "00000000-unstamped"
