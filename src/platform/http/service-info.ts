/** The name and version of this service in the API document and in `/health`. */
export const SERVICE_TITLE = 'Operational Event Service API';
export const SERVICE_VERSION = '1.0.0';
