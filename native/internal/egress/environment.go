package egress

import "fmt"

// Port is where the proxy listens on loopback: always the same, since programs keep it in their
// settings.
const Port = 3128

const proxyHost = "127.0.0.1"

// Environment is what leads programs to the proxy. Java's own variables are not among it: every JVM
// would say on standard error that it has seen them. What its build programs read is.
func Environment(hostname string) []string {
	url := fmt.Sprintf("http://%s:%d", proxyHost, Port)
	direct := "localhost,127.0.0.1,127.0.0.0/8,::1"
	if hostname != "" {
		direct += "," + hostname
	}
	java := fmt.Sprintf("-Dhttp.proxyHost=%[1]s -Dhttp.proxyPort=%[2]d -Dhttps.proxyHost=%[1]s -Dhttps.proxyPort=%[2]d"+
		" -Dhttp.nonProxyHosts=localhost|127.*|[::1]", proxyHost, Port)
	return []string{
		"http_proxy=" + url, "https_proxy=" + url, "all_proxy=" + url, "no_proxy=" + direct,
		"HTTP_PROXY=" + url, "HTTPS_PROXY=" + url, "ALL_PROXY=" + url, "NO_PROXY=" + direct,
		"NODE_USE_ENV_PROXY=1",
		"MAVEN_OPTS=" + java + " -Daether.connector.http.useSystemProperties=true",
		"GRADLE_OPTS=" + java, "SBT_OPTS=" + java,
		"CORTEX_JAVA_PROXY=" + java,
	}
}
