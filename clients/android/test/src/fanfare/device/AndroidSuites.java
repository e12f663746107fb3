package fanfare.device;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;

/** The tests of the Android part, once for each release, on class loaders of their own. */
final class AndroidSuites {
    private AndroidSuites() {
    }

    static void add(Suite suite, File built) throws Exception {
        add(suite, built, "35", "recording");
        add(suite, built, "36", "recording36", "recording");
    }

    @SuppressWarnings("unchecked")
    private static void add(Suite suite, File built, String api, String... framework) throws Exception {
        URL[] urls = new URL[framework.length + 3];
        for (int index = 0; index < framework.length; index++) urls[index] = url(built, framework[index]);
        urls[framework.length] = url(built, "core");
        urls[framework.length + 1] = url(built, "android");
        urls[framework.length + 2] = url(built, "android-test");
        System.setProperty("android.api", api);
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
        Class<?> type = loader.loadClass("fanfare.device.android.AndroidTests");
        Map<String, Runnable> tests = (Map<String, Runnable>) type.getMethod("tests").invoke(null);
        for (Map.Entry<String, Runnable> test : tests.entrySet()) suite.add(test.getKey(), test.getValue()::run);
    }

    private static URL url(File built, String part) throws Exception {
        return new File(built, part).toURI().toURL();
    }
}
