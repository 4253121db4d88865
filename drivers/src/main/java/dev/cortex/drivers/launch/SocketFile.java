package dev.cortex.drivers.launch;

/** The identity of a socket's file: another one at that path was not made by the launcher. */
public record SocketFile(String path, long device, long inode) {}
