// Package proof holds the tests that run the real launcher with the real crun on
// this host. They need root, crun, uidmap and the programs that they run inside,
// and fail where one is missing.
package proof
