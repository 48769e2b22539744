export { ByteBudget, type ByteBudgetOptions, type Release } from './byte-budget.js';
