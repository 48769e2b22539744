/** What the document and `/health` call this service (SERVICE 9). */
export const SERVICE_TITLE = 'Operational Event Service API';
export const SERVICE_VERSION = '1.0.0';
