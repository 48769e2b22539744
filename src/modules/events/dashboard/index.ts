export { DashboardModule } from './dashboard.module.js';
export { DeliveryCounts, type DeliveryTotals, OpenAlerts } from './reactions.js';
