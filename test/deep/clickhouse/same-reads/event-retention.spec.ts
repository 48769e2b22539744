import './begin.js';
import '../../../integration/events/event-retention.js';
