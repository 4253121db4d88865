package dev.cortex.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageRow;
import dev.cortex.sandbox.image.ImageStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of images must do. */
public abstract class ImageStoreContract {
    /** The store, the same at each call. */
    protected abstract ImageStore images();

    /** Makes a sandbox with that name from an image, and a disk beside it. */
    protected abstract void use(String sandbox, String digest);

    /** Removes the sandbox's record; its disk stays. */
    protected abstract void leave(String sandbox);

    /** An image of as many layers, told from others by one digit. */
    public static ImageRow image(char digit, int layers) {
        return new ImageRow(
                digest(digit),
                Optional.of(digest((char) (digit + 1))),
                "oci",
                "linux/amd64",
                new Image.Config(
                        Map.of("PATH", "/bin", "A", "b=c"),
                        Optional.of("/srv"),
                        Optional.of("web:www"),
                        List.of("/entry", "-x"),
                        List.of("serve")),
                Map.of("made", "by hand"),
                Optional.of(Rows.NOON),
                Rows.NOON,
                List.of("archive-" + digit),
                IntStream.range(0, layers)
                        .mapToObj(i -> new ImageRow.Layer(digit + "-" + i, digest(digit), i))
                        .toList());
    }

    protected static String digest(char digit) {
        return "sha256:" + String.valueOf(digit).repeat(64);
    }

    @Test
    void anImageComesBackAsItWasWritten() {
        ImageRow image = image('a', 3);
        images().save(image, List.of("app", "app:1"));
        assertThat(images().named("app")).contains(image);
        assertThat(images().named("app:1")).contains(image);
        assertThat(images().named("other")).isEmpty();
        assertThat(images().byDigest("sha256:aaaa")).containsExactly(image);
        assertThat(images().byDigest("sha256:bbbb")).as("its manifest").containsExactly(image);
        assertThat(images().byArchive("archive-a")).contains(image);
        assertThat(images().byArchive("archive-b")).isEmpty();
        assertThat(images().chains()).containsExactlyInAnyOrder("a-0", "a-1", "a-2");
    }

    @Test
    void aNameMeansTheNewestImageOfThatName() {
        images().save(image('a', 1), List.of("app"));
        images().save(image('c', 1), List.of("app"));
        assertThat(images().named("app")).map(ImageRow::digest).contains(digest('c'));
        assertThat(images().entry(digest('a')).orElseThrow().names()).isEmpty();
    }

    @Test
    void theSameImageTwiceIsOneThatKnowsBoth() {
        ImageRow image = image('a', 1);
        images().save(image, List.of("one"));
        images().save(
                        new ImageRow(
                                image.digest(),
                                Optional.empty(),
                                "docker",
                                image.platform(),
                                image.config(),
                                image.labels(),
                                image.created(),
                                Rows.NOON.plusSeconds(60),
                                List.of("archive-z"),
                                image.layers()),
                        List.of("two"));
        ImageStore.Entry entry = images().entry(image.digest()).orElseThrow();
        assertThat(entry.names()).containsExactly("one", "two");
        assertThat(entry.image().archives()).containsExactlyInAnyOrder("archive-a", "archive-z");
        assertThat(entry.image().manifest()).isEqualTo(image.manifest());
        assertThat(entry.image().imported()).isEqualTo(Rows.NOON);
    }

    @Test
    void theListComesInPages() {
        for (char digit : "cae".toCharArray()) {
            images().save(image(digit, 1), List.of("image-" + digit));
        }
        List<ImageStore.Entry> first = images().list("", 2);
        assertThat(first).extracting(entry -> entry.image().digest()).containsExactly(digest('a'), digest('c'));
        assertThat(images().list(digest('c'), 2))
                .extracting(entry -> entry.image().digest())
                .containsExactly(digest('e'));
    }

    @Test
    void anImageThatIsUsedStaysAndSaysByWhom() {
        images().save(image('a', 1), List.of("app"));
        use("api", digest('a'));
        assertThat(images().removeUnused(digest('a'))).containsExactly("api");
        assertThat(images().entry(digest('a')).orElseThrow().users()).containsExactly("api");
        leave("api");
        assertThat(images().removeUnused(digest('a'))).containsExactly("the kept disk api");
        assertThat(images().named("app")).isPresent();
    }

    @Test
    void anImageThatNobodyUsesGoesWithItsNames() {
        images().save(image('a', 1), List.of("app", "app:1"));
        assertThat(images().removeUnused(digest('a'))).isEmpty();
        assertThat(images().named("app:1")).isEmpty();
        assertThat(images().entry(digest('a'))).isEmpty();
        assertThat(images().chains()).isEmpty();
    }

    @Test
    void anImageIsUnneededWhenItHasNeitherANameNorAUser() {
        images().save(image('a', 1), List.of("app"));
        assertThat(images().removeUnneeded(digest('a'))).as("it has a name").isFalse();
        images().forgetName("app");
        use("api", digest('a'));
        assertThat(images().removeUnneeded(digest('a'))).as("a sandbox uses it").isFalse();
        leave("api");
        assertThat(images().removeUnneeded(digest('a')))
                .as("a kept disk uses it")
                .isFalse();
        images().save(image('b', 2), List.of());
        assertThat(images().removeUnneeded(digest('b'))).isTrue();
        assertThat(images().removeUnneeded(digest('b'))).as("it is gone").isFalse();
        assertThat(images().list("", 10))
                .extracting(entry -> entry.image().digest())
                .containsExactly(digest('a'));
    }

    @Test
    void aNameCanGoAlone() {
        images().save(image('a', 1), List.of("app", "app:1"));
        assertThat(images().forgetName("app:1")).isTrue();
        assertThat(images().forgetName("app:1")).isFalse();
        assertThat(images().entry(digest('a')).orElseThrow().names()).containsExactly("app");
    }
}
