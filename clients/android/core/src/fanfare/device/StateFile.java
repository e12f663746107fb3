package fanfare.device;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * The one file in which the library keeps what it knows. It is replaced whole: written beside it, forced to the disk,
 * renamed. So whenever the process dies, the file is the one before or the one after.
 */
final class StateFile {
    private final File file;
    private final File next;
    private final File corrupt;

    /** @param folder the library's own; made when it is missing */
    StateFile(File folder) {
        file = new File(folder, "fanfare-device.json");
        next = new File(folder, "fanfare-device.next");
        corrupt = new File(folder, "fanfare-device.corrupt");
    }

    /** Null when there is none. */
    String read() throws IOException {
        if (!file.exists()) return null;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (FileInputStream in = new FileInputStream(file)) {
            byte[] part = new byte[8_192];
            for (int count = in.read(part); count >= 0; count = in.read(part)) out.write(part, 0, count);
        }
        return out.toString("UTF-8");
    }

    void write(String text) throws IOException {
        File folder = file.getParentFile();
        if (!folder.isDirectory() && !folder.mkdirs() && !folder.isDirectory()) {
            throw new IOException("the folder cannot be made");
        }
        try (FileOutputStream out = new FileOutputStream(next)) {
            out.write(Names.utf8(text));
            out.getFD().sync();
        }
        if (!next.renameTo(file)) throw new IOException("the file cannot be replaced");
    }

    /** Puts a file that cannot be read out of the way; the last such one is kept. */
    void setAside() {
        corrupt.delete();
        if (!file.renameTo(corrupt)) file.delete();
    }
}
