export { EventSourcesRepository, type SeenEventSource } from './event-sources.repository.js';
export { IngestSourcesModule } from './ingest-sources.module.js';
export { ProjectOfSource } from './project-of-source.js';
