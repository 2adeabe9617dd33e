internal import CSdBus
internal import Glibc

extension Bus {
    /// The user that sent a message, by the bus: reliable enough for decisions, unlike /proc. It blocks for a
    /// round trip, so it is for calls that few clients make; sd_bus_query_sender_creds(3).
    ///
    /// - Throws: ``SdError`` if the sender is gone, or the bus does not know its user.
    public func userID(ofSenderOf message: MessageReader) throws(SdError) -> UInt32 {
        try settle()
        var credentials: OpaquePointer?
        let mask = UInt64(truncatingIfNeeded: SD_BUS_CREDS_EUID)
        try check("sd_bus_query_sender_creds", sd_bus_query_sender_creds(message.handle, mask, &credentials))
        defer { sd_bus_creds_unref(credentials) }
        var user: uid_t = 0
        try check("sd_bus_creds_get_euid", sd_bus_creds_get_euid(credentials, &user))
        return user
    }
}
