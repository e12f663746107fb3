package fanfare.device;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Folders that are gone when the tests are over. */
final class Folders {
    private static final List<File> MADE = new ArrayList<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            synchronized (MADE) {
                for (File folder : MADE) delete(folder);
            }
        }));
    }

    private Folders() {
    }

    static File make(String name) throws IOException {
        File folder = Files.createTempDirectory(name).toFile();
        synchronized (MADE) {
            MADE.add(folder);
        }
        return folder;
    }

    private static void delete(File file) {
        File[] inside = file.listFiles();
        if (inside != null) {
            for (File each : inside) delete(each);
        }
        file.delete();
    }
}
