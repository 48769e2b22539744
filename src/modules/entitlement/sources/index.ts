export { EventSourcesReader, ProjectOfSource, type SeenEventSource } from './event-sources.reader.js';
export { SourceNamesReader } from './source-names.reader.js';
export { IngestSourcesModule } from './ingest-sources.module.js';
