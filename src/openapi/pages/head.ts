import { SERVICE_TITLE } from '../../platform/http/service-info.js';

/** The beginning of the head of both pages. */
export const HEAD = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SERVICE_TITLE}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">`;
