export { EventSourcesRepository, ProjectOfSource, type SeenEventSource } from './event-sources.repository.js';
export { IngestSourcesModule } from './ingest-sources.module.js';
