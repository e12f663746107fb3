package fanfare.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The machine with its file and its screen. Whoever uses it holds its monitor, and calls {@link #commit} when done: what has
 * changed is on the disk before it is on the screen.
 */
final class Keeper {
    final Settings settings;
    final Machine machine;
    final ActivityCalls calls;
    final Answers answers;
    private final StateFile file;
    private final Render render;
    private long savedVersion;
    private List<Notice> notices = new ArrayList<>();
    boolean isClosed;

    Keeper(Settings settings, StateFile file, Render render, Now now) {
        this.settings = settings;
        this.file = file;
        this.render = render;
        machine = load(settings, file, now);
        calls = new ActivityCalls(machine);
        answers = new Answers(machine);
        savedVersion = machine.version;
    }

    private static Machine load(Settings settings, StateFile file, Now now) {
        try {
            String text = file.read();
            if (text != null) return KeptState.load(settings, text, now);
            return new Machine(settings);
        } catch (IOException | JsonException | RuntimeException corrupt) {
            file.setAside();
            Machine machine = new Machine(settings);
            machine.lastProblem = "what was kept could not be read, and was set aside";
            machine.version++;
            return machine;
        }
    }

    void commit() {
        commit(render);
    }

    void commit(Render render) {
        if (machine.version != savedVersion) {
            try {
                file.write(KeptState.of(machine));
                savedVersion = machine.version;
            } catch (IOException full) {
                // It goes on in memory, and is written with the next change.
                machine.lastProblem = "what is known could not be kept: " + full.getMessage();
            }
        }
        for (Screen.Change change : machine.screen.take()) {
            try {
                if (change.isShown) render.show(change.activity, change.alerts);
                else render.remove(change.activity);
            } catch (Exception theirs) {
                // Kotlin lets a render throw what no signature names, such as what reading JSON throws.
                machine.lastProblem = "the app could not show a Live Activity: " + theirs;
            }
        }
        notices.addAll(machine.takeNotices());
    }

    boolean hasNotices() {
        return !notices.isEmpty();
    }

    synchronized List<Notice> takeNotices() {
        List<Notice> taken = notices;
        notices = new ArrayList<>();
        return taken;
    }
}
