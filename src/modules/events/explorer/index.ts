export { ExplorerModule } from './explorer.module.js';
export { RelatedAlerts, type WrittenAlerts } from './related-alerts.js';
