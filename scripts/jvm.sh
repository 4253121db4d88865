# shellcheck shell=sh disable=SC2034
# The JVM's flags, in one place, because a start-up cache is taken only by a JVM with the flags of its training.
# C1 and the serial collector: our processes are short, or wait for the most part. No performance counters, since their
# file in /tmp costs more than a hot verb's parsing. Nothing of the JVM's own, such as its answer to Ctrl-\, must reach
# stdout, which is the program's. -Xshare is left alone: it cannot be named together with a cache.
jvm_flags='-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -XX:+DisplayVMOutputToStderr --enable-native-access=ALL-UNNAMED'
jvm_log='-Xlog:disable -Xlog:all=error:stderr'
# The command is done before compiling pays: with ten times the calls that C1 waits for, a start costs 13 ms less of cpu,
# and a long stream is as fast.
jvm_cli='-XX:CompileThresholdScaling=10'
