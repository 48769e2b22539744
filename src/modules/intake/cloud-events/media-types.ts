/** The media type of an event in structured mode. */
export const STRUCTURED = 'application/cloudevents+json';
/** The media type of a list of events. */
export const BATCH = 'application/cloudevents-batch+json';
