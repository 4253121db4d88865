// Package onv2 proves launcher, neuron and runtime where control groups are pure v2 with every
// controller: their tests run again in a virtual machine with Debian's kernel, emulated, so that no
// KVM is needed. No JVM takes part. Slow: CI_SLOW=1.
package onv2
