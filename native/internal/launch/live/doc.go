// Package live shows a folder of the host in a sandbox while both sides use it.
//
// A process of the host, the guard, serves the folder by FUSE: what the sandbox
// does there is done by the guard, as the folder's owner, beneath the folder and
// nowhere else. So a rule can look at the name of everything that is to be made,
// at any depth, which no mount option and no system-call filter can; and nothing
// of the host's paths can be seen inside.
package live
