export { EventSourcesReader, ProjectOfSource, type SeenEventSource } from './event-sources.reader.js';
export { keyOfStandardWebhooks } from './hooks/hook-verification.dto.js';
export type { HookScheme } from './hooks/source-hook.entity.js';
export { HookNotFound, type OpenedHook, SourceHookAuthenticator } from './hooks/source-hook.authenticator.js';
export { HookCredentialsUnavailable } from './event-sources.errors.js';
export { SourceNamesReader } from './source-names.reader.js';
export { IngestSourcesModule } from './ingest-sources.module.js';
