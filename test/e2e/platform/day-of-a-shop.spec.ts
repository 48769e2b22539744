import { afterAll, beforeAll, describe } from '@jest/globals';
import { openShop, type Shop } from '../../support/shop/shop.js';
import { alerting } from './day-of-a-shop/alerting.js';
import { closing } from './day-of-a-shop/closing.js';
import { delivery } from './day-of-a-shop/delivery.js';
import { people } from './day-of-a-shop/people.js';
import { questions } from './day-of-a-shop/questions.js';
import { sources } from './day-of-a-shop/sources.js';
import { storage } from './day-of-a-shop/storage.js';
import { trade } from './day-of-a-shop/trade.js';
import { watch } from './day-of-a-shop/watch.js';

/**
 * A tour of the whole service with the events of a web shop. The examples of the OpenAPI document are recorded from it, before
 * any other suite, so its requests and answers are written to be read.
 */
describe('a web shop', () => {
  let opened: Shop;
  const shop = (): Shop => opened;

  beforeAll(async () => {
    opened = await openShop();
  });
  afterAll(() => opened.close());

  describe('with people and projects', () => people(shop));
  describe('with sources of events', () => sources(shop));
  describe('with events', () => trade(shop));
  describe('with questions about its events', () => questions(shop));
  describe('with files and secrets', () => storage(shop));
  describe('with alert rules', () => alerting(shop));
  describe('with delivery channels', () => delivery(shop));
  describe('with Sentinel', () => watch(shop));
  describe('with its last requests of the day', () => closing(shop));
});
