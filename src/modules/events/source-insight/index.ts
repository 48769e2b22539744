export { SourceInsightModule } from './source-insight.module.js';
