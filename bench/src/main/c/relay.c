/*
 * The yardstick of stdout: the same hops as Cortex has, and nothing else. For each connection to its socket it runs the
 * program, reads its pipe (as the neuron does), writes a socket that a second process reads (as the daemon does), which
 * writes the connection.
 *
 *     relay SOCKET PROGRAM ARG...
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* The size of Cortex's frames, and of the daemon's buffer. */
enum { NEURON = 64 << 10, DAEMON = 256 << 10 };

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void copy(int from, int to, size_t size) {
    char *buffer = malloc(size);
    if (buffer == NULL) die("malloc");
    for (;;) {
        ssize_t got = read(from, buffer, size);
        if (got == 0) break;
        if (got < 0) die("read");
        for (ssize_t sent = 0; sent < got;) {
            ssize_t n = write(to, buffer + sent, (size_t)(got - sent));
            if (n < 0) die("write");
            sent += n;
        }
    }
    free(buffer);
}

/* Ends with its parent, whatever becomes of that. */
static pid_t child(void) {
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) die("prctl");
    return pid;
}

static void serve(int client, char **program) {
    int pair[2], out[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) die("socketpair");
    if (child() == 0) {
        close(pair[0]);
        close(client);
        if (pipe(out) != 0) die("pipe");
        if (child() == 0) {
            dup2(out[1], 1);
            close(out[0]);
            close(out[1]);
            close(pair[1]);
            execvp(program[0], program);
            die(program[0]);
        }
        close(out[1]);
        copy(out[0], pair[1], NEURON);
        wait(NULL);
        exit(0);
    }
    close(pair[1]);
    copy(pair[0], client, DAEMON);
    wait(NULL);
    exit(0);
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: relay SOCKET PROGRAM ARG...\n");
        return 2;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(words[1]) >= sizeof address.sun_path) {
        fprintf(stderr, "relay: the socket's path is too long\n");
        return 2;
    }
    strcpy(address.sun_path, words[1]);
    /* A client that goes away is an error of write. */
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener < 0) die("socket");
    unlink(words[1]);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) die("bind");
    if (listen(listener, 8) != 0) die("listen");
    puts("ready");
    fflush(stdout);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) die("accept");
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        if (child() == 0) {
            close(listener);
            serve(client, words + 2);
        }
        close(client);
    }
}
