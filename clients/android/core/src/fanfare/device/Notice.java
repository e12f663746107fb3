package fanfare.device;

/** Something to tell the app, once the library's lock is free. */
interface Notice {
    void tell(DeviceListener listener);
}
