import { NumberField } from '../../../../platform/http/validation/index.js';
import { ConditionField, ProjectEventFilters } from '../../time-ranges/index.js';

/** The query parameters of every analytics endpoint: project, time window, filters and an EQL condition. */
export class AnalyticsQuery extends ProjectEventFilters {
  @ConditionField()
  where?: string;
}

/** Declares a property that is a share of a whole, from 0 to 1. */
export const ShareField = (description: string): PropertyDecorator => NumberField({ min: 0, max: 1, description });

/** Declares a property that is the relative change against the previous window. */
export const ChangeField = (): PropertyDecorator =>
  NumberField({ nullable: true, description: '(now - before) / before; null where before is 0 or null' });
