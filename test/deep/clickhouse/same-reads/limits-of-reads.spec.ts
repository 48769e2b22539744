import './begin.js';
import { describeEql } from '../../../integration/events/limits-of-reads/eql.js';
import { service } from '../../../integration/events/limits-of-reads/service.js';

describeEql(service);
