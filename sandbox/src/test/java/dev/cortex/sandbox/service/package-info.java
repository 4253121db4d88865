@NullMarked
package dev.cortex.sandbox.service;

import org.jspecify.annotations.NullMarked;
