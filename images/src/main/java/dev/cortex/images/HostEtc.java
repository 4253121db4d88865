package dev.cortex.images;

import java.util.List;

/**
 * What programs of the machine's own /usr need of its /etc. A short list instead of all but secrets: what is not named
 * here does not get in. Left out on purpose, because people keep tokens in them: environment, profile.d, gitconfig,
 * npmrc, pip.conf, wgetrc, maven/settings.xml, ssh, anything of accounts.
 */
final class HostEtc {
    /** Files and folders beneath /etc; a star ends a name that may go on. */
    static final List<String> NAMES = List.of(
            // The dynamic linker's, and the links that choose between versions of a program.
            "ld.so.cache",
            "ld.so.conf",
            "ld.so.conf.d",
            "alternatives",
            // Certificates of authorities; private keys lie in ssl/private, which is not named.
            "ssl/certs",
            "ssl/openssl.cnf",
            "ca-certificates.conf",
            // Terminals, shells, editors.
            "terminfo",
            "inputrc",
            "profile",
            "bash.bashrc",
            "shells",
            "vim",
            // Languages whose packages in /usr link to their configuration.
            "java-*",
            "temurin-*",
            "python3",
            "python3.*",
            "perl",
            "maven/m2.conf",
            "maven/logging",
            // Data about the world.
            "mime.types",
            "magic",
            "magic.mime",
            "services",
            "protocols",
            "rpc",
            "localtime",
            "timezone",
            "locale.alias",
            "gai.conf",
            "host.conf",
            "fonts",
            "xattr.conf",
            "login.defs",
            "debian_version",
            "os-release",
            "lsb-release");

    private HostEtc() {}
}
