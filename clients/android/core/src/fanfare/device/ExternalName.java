package fanfare.device;

import java.util.Map;

/** What an app calls an activity that it opens by itself. Immutable. */
public final class ExternalName {
    private final String activityType;
    private final String externalId;
    private final Scope scope;

    /**
     * @param activityType the type, such as {@code OrderAttributes}; 1 to 250 bytes; not null
     * @param externalId the app's name, such as {@code order-4711}; 1 to 250 bytes; not null
     * @param scope whose name it is; not null
     * @throws IllegalArgumentException if one of them is none
     */
    public ExternalName(String activityType, String externalId, Scope scope) {
        this.activityType = Names.require(activityType, 250, "activityType");
        this.externalId = Names.require(externalId, 250, "externalId");
        if (scope == null) throw new IllegalArgumentException("scope must not be null");
        this.scope = scope;
    }

    /** Not null. */
    public String activityType() {
        return activityType;
    }

    /** Not null. */
    public String externalId() {
        return externalId;
    }

    /** Not null. */
    public Scope scope() {
        return scope;
    }

    /** The {@link LiveActivity#key()} that it has on this phone; not null. */
    public String key() {
        return scope.name + "/" + activityType.length() + "/" + activityType + "/" + externalId;
    }

    void putInto(Map<String, Object> fields) {
        fields.put("activity_type", activityType);
        fields.put("external_id", externalId);
        fields.put("external_scope", scope.name);
    }

    /** Null when there is none. */
    static ExternalName from(Map<String, Object> fields) {
        String type = Json.string(fields, "activity_type");
        String id = Json.string(fields, "external_id");
        if (type == null || id == null) return null;
        return new ExternalName(type, id, Scope.USER.name.equals(Json.string(fields, "external_scope"))
            ? Scope.USER : Scope.SHARED);
    }
}
