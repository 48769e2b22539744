// Neighbour (b): Nest on its own Express adapter with TypeORM's save(), as services are usually written.
import 'reflect-metadata';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { EntitySchema } from 'typeorm';
import { announce, POOL_SIZE, TABLE, makePool } from './settings.mjs';

const PlainEvent = new EntitySchema({
  name: 'PlainEvent',
  tableName: 'plain_events',
  columns: {
    id: { type: 'uuid', primary: true, generated: 'uuid' },
    event: { type: 'text' },
    source: { type: 'text' },
    severity: { type: 'text', nullable: true },
    environment: { type: 'text', nullable: true },
    message: { type: 'text', nullable: true },
    properties: { type: 'jsonb' },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
  },
});

class EventsController {
  constructor(events) {
    this.events = events;
  }

  async take({ event_type: event, payload: properties, source, severity, environment, message }) {
    const { id } = await this.events.save({ event, source, severity, environment, message, properties });
    return { accepted: true, id };
  }
}

class EventsModule {}

// The decorators are applied by hand, because this file is not compiled.
Reflect.defineMetadata('self:paramtypes', [{ index: 0, param: getRepositoryToken(PlainEvent) }], EventsController);
Reflect.defineMetadata('design:paramtypes', [Object], EventsController);
Body()(EventsController.prototype, 'take', 0);
Post()(EventsController.prototype, 'take', Object.getOwnPropertyDescriptor(EventsController.prototype, 'take'));
Controller('events')(EventsController);
Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      poolSize: POOL_SIZE,
      entities: [PlainEvent],
      synchronize: false,
    }),
    TypeOrmModule.forFeature([PlainEvent]),
  ],
  controllers: [EventsController],
})(EventsModule);

const pool = makePool();
await pool.query(TABLE);
await pool.end();
const app = await NestFactory.create(EventsModule, { logger: ['error'] });
await app.listen(Number(process.env.PORT), '127.0.0.1');
await announce(app.getHttpServer());
