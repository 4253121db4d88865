package dev.cortex.images;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The accounts of a sandbox with the machine's /usr: the numbers that its packages expect (Debian's base-passwd, the
 * same on its children), nobody of the machine's own people. No password is possible.
 */
final class HostAccounts {
    private record Account(String name, int uid, int gid, String home, String shell) {
        String line() {
            return name + ":*:" + uid + ":" + gid + ":" + name + ":" + home + ":" + shell;
        }
    }

    private record Group(String name, int gid) {
        String line() {
            return name + ":*:" + gid + ":";
        }
    }

    private static final String NO_LOGIN = "/usr/sbin/nologin";

    private static final List<Account> ACCOUNTS = List.of(
            new Account("root", 0, 0, "/root", "/bin/bash"),
            new Account("daemon", 1, 1, "/usr/sbin", NO_LOGIN),
            new Account("bin", 2, 2, "/bin", NO_LOGIN),
            new Account("sys", 3, 3, "/dev", NO_LOGIN),
            new Account("games", 5, 60, "/usr/games", NO_LOGIN),
            new Account("man", 6, 12, "/var/cache/man", NO_LOGIN),
            new Account("lp", 7, 7, "/var/spool/lpd", NO_LOGIN),
            new Account("mail", 8, 8, "/var/mail", NO_LOGIN),
            new Account("news", 9, 9, "/var/spool/news", NO_LOGIN),
            new Account("uucp", 10, 10, "/var/spool/uucp", NO_LOGIN),
            new Account("proxy", 13, 13, "/bin", NO_LOGIN),
            new Account("www-data", 33, 33, "/var/www", NO_LOGIN),
            new Account("backup", 34, 34, "/var/backups", NO_LOGIN),
            new Account("_apt", 42, 65_534, "/nonexistent", NO_LOGIN),
            new Account("agent", 1_000, 1_000, "/home/agent", "/bin/bash"),
            new Account("nobody", 65_534, 65_534, "/nonexistent", NO_LOGIN));

    private static final List<Group> GROUPS = List.of(
            new Group("root", 0),
            new Group("daemon", 1),
            new Group("bin", 2),
            new Group("sys", 3),
            new Group("adm", 4),
            new Group("tty", 5),
            new Group("disk", 6),
            new Group("lp", 7),
            new Group("mail", 8),
            new Group("news", 9),
            new Group("uucp", 10),
            new Group("man", 12),
            new Group("proxy", 13),
            new Group("kmem", 15),
            new Group("dialout", 20),
            new Group("cdrom", 24),
            new Group("tape", 26),
            new Group("sudo", 27),
            new Group("audio", 29),
            new Group("www-data", 33),
            new Group("backup", 34),
            new Group("operator", 37),
            new Group("src", 40),
            new Group("shadow", 42),
            new Group("utmp", 43),
            new Group("video", 44),
            new Group("plugdev", 46),
            new Group("staff", 50),
            new Group("games", 60),
            new Group("users", 100),
            new Group("agent", 1_000),
            new Group("nogroup", 65_534));

    private HostAccounts() {}

    static String passwd() {
        return ACCOUNTS.stream().map(Account::line).collect(Collectors.joining("\n", "", "\n"));
    }

    static String group() {
        return GROUPS.stream().map(Group::line).collect(Collectors.joining("\n", "", "\n"));
    }
}
