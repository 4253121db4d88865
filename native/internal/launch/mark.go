package launch

// SessionBits is the width of the session's part of a mark; the rest is the
// sandbox's.
const SessionBits = 22

// SameSandbox says whether two marks belong to one sandbox.
func SameSandbox(a, b uint64) bool { return a>>SessionBits == b>>SessionBits }
