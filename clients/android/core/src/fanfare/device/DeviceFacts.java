package fanfare.device;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the gateway is told of the phone. Immutable. */
public final class DeviceFacts {
    private final String osVersion;
    private final String appVersion;
    private final boolean mayNotify;
    private final boolean consents;
    private final boolean isSandbox;

    /**
     * @param osVersion Android's version, such as {@code 16} or {@code 8.1.0}; what stands behind its numbers is left out; not
     *     null
     * @param appVersion the app's version, at most 64 bytes; null for none
     * @param mayNotify whether the user lets the app show notifications
     * @param consents whether the user has consented to the processing of personal data
     * @throws IllegalArgumentException if a version is none
     */
    public DeviceFacts(String osVersion, String appVersion, boolean mayNotify, boolean consents) {
        this(osVersion, appVersion, mayNotify, consents, false);
    }

    private DeviceFacts(String osVersion, String appVersion, boolean mayNotify, boolean consents, boolean isSandbox) {
        this.osVersion = leadingNumbers(osVersion);
        this.appVersion = appVersion == null ? null : Names.require(appVersion, 64, "appVersion");
        this.mayNotify = mayNotify;
        this.consents = consents;
        this.isSandbox = isSandbox;
    }

    /** The same of a phone whose app is of the gateway's sandbox; not null. */
    public DeviceFacts inSandbox() {
        return new DeviceFacts(osVersion, appVersion, mayNotify, consents, true);
    }

    /** True if the gateway may push to the phone. */
    boolean takesPushes() {
        return mayNotify && consents;
    }

    /** True if the user lets the app show notifications. */
    public boolean mayNotify() {
        return mayNotify;
    }

    private static String leadingNumbers(String version) {
        java.util.regex.Matcher numbers = java.util.regex.Pattern.compile("[0-9]{1,4}(\\.[0-9]{1,4}){0,2}")
            .matcher(version == null ? "" : version);
        if (numbers.lookingAt()) return numbers.group();
        throw new IllegalArgumentException("osVersion must begin with a number");
    }

    Map<String, Object> toJson() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("platform", "android");
        fields.put("os_version", osVersion);
        if (appVersion != null) fields.put("app_version", appVersion);
        fields.put("push_opt_in", mayNotify);
        fields.put("gdpr_consent", consents);
        fields.put("environment", isSandbox ? "sandbox" : "production");
        return fields;
    }

    /** Null when it is none. */
    static DeviceFacts fromJson(Map<String, Object> fields) {
        String osVersion = Json.string(fields, "os_version");
        if (osVersion == null) return null;
        return new DeviceFacts(
            osVersion, Json.string(fields, "app_version"), Json.flag(fields, "push_opt_in"),
            Json.flag(fields, "gdpr_consent"), "sandbox".equals(Json.string(fields, "environment")));
    }
}
