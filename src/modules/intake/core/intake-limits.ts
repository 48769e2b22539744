/** A larger body is refused with 413, before and after decompression. Independent of `MAX_BODY_BYTES`. */
export const MAX_INTAKE_BYTES = 5 * 1024 * 1024;
/** A request with more events is refused with 413. */
export const MAX_INTAKE_EVENTS = 1_000;

/** Further members of a payload are left out. The property `properties_dropped` then holds their number. */
export const MAX_PROPERTIES = 512;
/** Deeper values become an ellipsis. */
export const MAX_JSON_MEMBER_LEVELS = 64;
/** A larger event is refused. The size is that of the stored form, in which each number has all its digits. */
export const MAX_EVENT_BYTES = 2 * 1024 * 1024;

/** Longer text is cut, and ends with an ellipsis. In code points. */
export const MAX_CODE_POINTS = {
  event_type: 200,
  source: 200,
  event_id: 200,
  severity: 50,
  message: 2_000,
  status: 100,
  environment: 100,
} as const;
/** `message_full` is cut beyond this size. In bytes of UTF-8. */
export const MAX_FULL_MESSAGE_BYTES = 64 * 1024;
