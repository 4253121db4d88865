package dev.cortex.e2e.front;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a sandbox may reach, with real programs inside and real servers on this machine's loopback. */
final class EgressIT {
    private static final String HERE = "host.cortex.internal";

    @TempDir
    Path served;

    private HttpServer serve() {
        HttpServer server = SimpleFileServer.createFileServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                served.toAbsolutePath(),
                SimpleFileServer.OutputLevel.NONE);
        server.start();
        return server;
    }

    /** A package for pip, one for npm, and a repository for git, as files. */
    private String packages(int port) throws IOException, InterruptedException {
        String script = """
            import base64, hashlib, io, json, os, subprocess, sys, tarfile, zipfile
            os.makedirs('simple/demo')
            info = 'demo-1.0.dist-info/'
            with zipfile.ZipFile('simple/demo/demo-1.0-py3-none-any.whl', 'w') as wheel:
                wheel.writestr('demo.py', 'ANSWER = 42')
                wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n')
                wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
                wheel.writestr(info + 'RECORD', '')
            open('simple/demo/index.html', 'w').write('<a href="demo-1.0-py3-none-any.whl">demo-1.0-py3-none-any.whl</a>')
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode='w:gz') as tar:
                for name, text in (('package.json', '{"name":"demo","version":"1.0.0"}'), ('index.js', 'module.exports = 42')):
                    entry = tarfile.TarInfo('package/' + name)
                    entry.size = len(text)
                    tar.addfile(entry, io.BytesIO(text.encode()))
            open('demo.tgz', 'wb').write(packed.getvalue())
            digest = base64.b64encode(hashlib.sha512(packed.getvalue()).digest()).decode()
            open('demo', 'w').write(json.dumps({'name': 'demo', 'dist-tags': {'latest': '1.0.0'}, 'versions': {'1.0.0': {
                'name': 'demo', 'version': '1.0.0',
                'dist': {'tarball': 'http://host.cortex.internal:%s/demo.tgz' % sys.argv[1], 'integrity': 'sha512-' + digest}}}}))
            git = ['git', '-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main']
            subprocess.check_call(git + ['init', '-q', 'tree'])
            open('tree/file', 'w').write('cloned\\n')
            subprocess.check_call(git + ['-C', 'tree', 'add', 'file'])
            subprocess.check_call(git + ['-C', 'tree', 'commit', '-qm', 'first'])
            subprocess.check_call(git + ['clone', '-q', '--bare', 'tree', 'demo.git'])
            subprocess.check_call(git + ['-C', 'demo.git', 'update-server-info'])
            """;
        Process process = new ProcessBuilder(List.of("python3", "-c", script, Integer.toString(port)))
                .directory(served.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return "http://" + HERE + ":" + port;
    }

    private static CortexHome.Outcome inside(CortexHome cortex, String words) throws IOException, InterruptedException {
        return cortex.cortex("exec", "a", "--timeout", "100s", "--", "sh", "-c", words);
    }

    @Test
    void packageProgramsWorkThroughAHostThatIsAllowed() throws Exception {
        HttpServer server = serve();
        try (CortexHome cortex = CortexHome.open()) {
            int port = server.getAddress().getPort();
            String url = packages(port);
            cortex.cortex("create", "a", "--driver", "oci/crun", "--allow-host", HERE + ":" + port)
                    .succeeded();
            assertThat(inside(cortex, "curl -sS " + url + "/tree/file; curl -sSp " + url + "/tree/file")
                            .succeeded()
                            .stdout())
                    .as("curl, plainly and through a tunnel")
                    .isEqualTo("cloned\ncloned\n");
            assertThat(inside(
                                    cortex,
                                    "pip install -q --disable-pip-version-check --target p --index-url " + url
                                            + "/simple --trusted-host " + HERE
                                            + " demo && PYTHONPATH=p python3 -c 'import demo; print(demo.ANSWER)'")
                            .succeeded()
                            .stdout())
                    .contains("42");
            assertThat(inside(cortex, "git clone -q " + url + "/demo.git r && cat r/file")
                            .succeeded()
                            .stdout())
                    .isEqualTo("cloned\n");
            assertThat(inside(
                                    cortex,
                                    "npm install --no-audit --no-fund --prefix n --registry " + url
                                            + "/ demo >&2 && node -p 'require(\"./n/node_modules/demo\")'")
                            .succeeded()
                            .stdout())
                    .isEqualTo("42\n");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void whatIsNotAllowedFailsAtOnceAndNamesTheRemedy() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a", "--driver", "oci/crun").succeeded();
            String remedy = "cortex egress set a --allow-host pypi.example";
            String told = "denied by cortex: pypi.example is not allowed (" + remedy + ")";
            assertThat(inside(cortex, "curl -sS http://pypi.example/").stdout()).isEqualTo(told + "\n");
            assertThat(inside(cortex, "curl -sSv https://pypi.example/ 2>&1").stdout())
                    .contains("403 " + told);
            assertThat(inside(
                                    cortex,
                                    "pip install --retries 1 --target p --disable-pip-version-check --index-url https://pypi.example/simple x 2>&1")
                            .stdout())
                    .contains(told);
            // These keep the proxy's words to themselves; then Cortex says it behind them.
            for (String silent : List.of(
                    "git clone https://pypi.example/r.git",
                    "pip install --retries 0 --target p --disable-pip-version-check --trusted-host pypi.example --index-url http://pypi.example/simple x")) {
                assertThat(inside(cortex, silent).stderr())
                        .as(silent)
                        .contains("cortex: denied: pypi.example:")
                        .contains("  allow it: " + remedy);
            }
            assertThat(inside(cortex, "git clone http://pypi.example/r.git 2>&1")
                            .stdout())
                    .contains(told);
            assertThat(inside(cortex, "npm install --no-audit --registry https://pypi.example/ x 2>&1")
                            .stdout())
                    .contains(told);
            String log = cortex.cortex("egress", "log", "a").succeeded().stdout();
            assertThat(log)
                    .containsPattern("deny +pypi\\.example:443.* no rule \\(default deny\\) +pip, session s_")
                    .contains("  allow it: " + remedy + "\n");
            assertThat(cortex.cortex("egress", "log", "a", "--json").succeeded().stdout())
                    .contains("\"kind\":\"egress_log\"")
                    .contains("\"program\":\"npm install x\"");
        }
    }

    @Test
    void whoeverFollowsTheLogGoesOnWithTheNextDaemon() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a", "--allow-host", HERE).succeeded();
            Path out = cortex.folder().resolve("followed");
            Path err = cortex.folder().resolve("said");
            Process following = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                    out,
                    err,
                    "egress",
                    "log",
                    "a",
                    "--follow");
            try {
                inside(cortex, "curl -sS http://first.example/; true").succeeded();
                CortexHome.await(() -> Files.readString(out).contains("first.example"), "the first decision");
                cortex.cortex("serve", "--stop").succeeded();
                Thread.sleep(1_000);
                assertThat(following.isAlive()).as(Files.readString(err)).isTrue();
                assertThat(cortex.home().resolve("daemon.pid"))
                        .as("a follower starts no daemon")
                        .satisfiesAnyOf(
                                pid -> assertThat(pid).doesNotExist(),
                                pid -> assertThat(ProcessHandle.of(cortex.daemonPid()))
                                        .isEmpty());
                inside(cortex, "for i in 1 2 3 4; do curl -sS http://second.example/; sleep 1; done; true")
                        .succeeded();
                CortexHome.await(() -> Files.readString(out).contains("second.example"), "the next daemon's");
            } finally {
                following.destroy();
            }
        }
    }

    @Test
    void trapsLeadNowhere() throws Exception {
        HttpServer server = serve();
        try (CortexHome cortex = CortexHome.open()) {
            int port = server.getAddress().getPort();
            Files.writeString(served.resolve("secret"), "secret");
            cortex.cortex(
                            "create",
                            "a",
                            "--driver",
                            "oci/crun",
                            "--allow-host",
                            HERE,
                            "--allow-host",
                            "localhost:" + port)
                    .succeeded();
            String proxy = "curl -sS --noproxy '' -x http://127.0.0.1:3128 ";
            for (String trap : List.of(
                    "http://" + HERE + ":" + port + "/secret",
                    "http://localhost:" + port + "/secret",
                    "http://127.0.0.1:" + port + "/secret",
                    "http://[::ffff:127.0.0.1]:" + port + "/secret",
                    "http://169.254.169.254/latest/meta-data/",
                    "http://0.0.0.0:" + port + "/secret")) {
                assertThat(inside(cortex, proxy + trap).stdout()).as(trap).startsWith("denied by cortex: ");
            }
            String raw = "python3 -c 'import socket,sys; s=socket.create_connection((\"127.0.0.1\",3128));"
                    + " s.sendall(sys.argv[1].encode().decode(\"unicode_escape\").encode()); print(s.makefile().read())' ";
            assertThat(inside(
                                    cortex,
                                    raw + "'GET http://" + HERE + "/ HTTP/1.1\\r\\nHost: localhost:" + port
                                            + "\\r\\n\\r\\n'")
                            .stdout())
                    .startsWith("HTTP/1.1 400 ");
            assertThat(inside(cortex, raw + "'CONNECT 2130706433:" + port + " HTTP/1.1\\r\\n\\r\\n'")
                            .stdout())
                    .startsWith("HTTP/1.1 403 denied by cortex");
            assertThat(inside(
                                    cortex,
                                    "python3 -c 'import socket; socket.create_connection((\"1.1.1.1\", 443), 5)' 2>&1")
                            .stdout())
                    .as("past the proxy there is no network")
                    .contains("Network is unreachable");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aChangeHoldsAtOnceAndAfterTheDaemonWasKilled() throws Exception {
        HttpServer server = serve();
        try (CortexHome cortex = CortexHome.open()) {
            int port = server.getAddress().getPort();
            Files.writeString(served.resolve("file"), "here\n");
            Files.write(served.resolve("large"), new byte[50_000_000]);
            String url = "http://" + HERE + ":" + port;
            cortex.cortex("create", "a", "--driver", "oci/crun").succeeded();
            assertThat(inside(cortex, "curl -sS " + url + "/file").stdout()).contains("denied by cortex");
            assertThat(cortex.cortex("egress", "set", "a", "--allow-host", HERE + ":" + port)
                            .succeeded()
                            .stdout())
                    .isEqualTo("a may reach " + HERE + ":" + port + "\n");
            assertThat(inside(cortex, "curl -sS " + url + "/file").stdout()).isEqualTo("here\n");

            String slowly = "curl -sS --limit-rate 1M -o large " + url + "/large; echo status $?";
            String first = cortex.cortex("exec", "a", "--detach", "--", "sh", "-c", slowly)
                    .succeeded()
                    .stdout()
                    .strip();
            CortexHome.await(() -> inside(cortex, "test -s large").status() == 0, "that the download has begun");
            cortex.cortex("egress", "set", "a", "--only").succeeded();
            CortexHome.await(() -> cortex.cortex("logs", "a", first).stdout().contains("status 56"), "that it is cut");

            cortex.cortex("egress", "set", "a", "--allow-host", HERE + ":" + port)
                    .succeeded();
            String second = cortex.cortex("exec", "a", "--detach", "--", "sh", "-c", "rm large; " + slowly)
                    .succeeded()
                    .stdout()
                    .strip();
            CortexHome.await(() -> inside(cortex, "test -s large").status() == 0, "that the download has begun");
            cortex.killDaemon();
            CortexHome.await(
                    () -> cortex.cortex("logs", "a", second).stdout().contains("status 56"),
                    "that nothing gets out while the daemon is down");
            assertThat(inside(cortex, "curl -sS " + url + "/file").stdout())
                    .as("the next daemon opens the way again")
                    .isEqualTo("here\n");
            assertThat(cortex.cortex("egress", "show", "a", "--json")
                            .succeeded()
                            .stdout())
                    .contains("\"allow_hosts\":[\"" + HERE + ":" + port + "\"]");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void wrongRulesAndDriversWithoutAPerimeterAreRefusedBeforeAnythingIsMade() throws Exception {
        try (CortexHome cortex = CortexHome.open().with("CORTEX_ALLOW_INSECURE_PROCESS", "1")) {
            CortexHome.Outcome wrong = cortex.cortex("create", "a", "--allow-host", "a b", "--allow-host", "*.1.2.3.4");
            assertThat(wrong.status()).isEqualTo(1);
            assertThat(wrong.stderr()).contains("'a b'").contains("*.1.2.3.4").contains("HOST[:PORT]");
            CortexHome.Outcome process =
                    cortex.cortex("create", "a", "--driver", "process", "--allow-host", "pypi.org", "--json");
            assertThat(process.stdout()).contains("UNSUPPORTED").contains("EGRESS");
            assertThat(cortex.cortex("ls").stdout()).doesNotContain("\na ");
        }
    }
}
