export { ByteBudget, type ByteBudgetOptions } from './byte-budget.js';
