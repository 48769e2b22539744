import './begin.js';
import '../../../integration/events/event-retention.spec.js';
