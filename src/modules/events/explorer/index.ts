export { ExplorerModule } from './explorer.module.js';
export { RelatedAlerts } from './related-alerts.js';
