package fanfare.device;

import java.util.Map;

/** How much there was to check at the ends of lives: walks that end with nothing show nothing. */
final class Seen {
    private int loggedIn;
    private int shown;
    private int follows;
    private int schedules;
    private int dismissed;

    void add(Walk walk) {
        Machine machine = walk.phone.machine;
        if (machine.insiderId != null) loggedIn++;
        shown += machine.activities.shown().size();
        follows += machine.follows.wanted().size();
        schedules += walk.phone.gateway.schedules.size();
        for (Map.Entry<String, String> state : walk.phone.gateway.states.entrySet()) {
            if (state.getValue().equals("dismissed")) dismissed++;
        }
    }

    @Override
    public String toString() {
        return loggedIn + " logged in, " + shown + " shown, " + dismissed + " dismissed, " + follows + " follows, " + schedules
            + " schedules";
    }
}
