/** The daemon as a service of systemd. */
@NullMarked
package dev.cortex.cli.service;

import org.jspecify.annotations.NullMarked;
