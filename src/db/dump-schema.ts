import { sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * The schema as text, from the catalogue of the database itself: tables with their columns, constraints, indexes, triggers and
 * functions, in a fixed order. Both engines give the same text, and a test holds it against `docs/schema.sql`, so that every
 * migration shows in review what it makes of the whole.
 */
export async function dumpSchema(db: Db): Promise<string> {
  const functions = await texts(
    db,
    sql`
    select pg_get_functiondef(p.oid) || ';' as text from pg_proc p
    where p.pronamespace = 'public'::regnamespace order by p.proname`,
  );
  // Months come and go with the date, so of a table in months only what is always there is told.
  const tables = await texts(
    db,
    sql`
    select c.relname as text from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and (not c.relispartition or pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT')
    order by c.relname`,
  );
  const sections = await Promise.all(tables.map((table) => dumpTable(db, table)));
  return `${['-- Made by `npm run schema:dump` from the migrations. Do not edit.', ...functions, ...sections].join('\n\n')}\n`;
}

async function dumpTable(db: Db, table: string): Promise<string> {
  const [kind] = await texts(
    db,
    sql`
    select concat_ws(' ',
      case when relispartition then format('partition of %s %s', (select inhparent::regclass from pg_inherits where inhrelid = oid),
                                           lower(pg_get_expr(relpartbound, oid))) end,
      case when relkind = 'p' then format('partition by %s', pg_get_partkeydef(oid)) end,
      case when reloptions is not null then format('with (%s)', array_to_string(reloptions, ', ')) end) as text
    from pg_class where oid = ${table}::regclass`,
  );
  const columns = await texts(
    db,
    sql`
    select format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                  case when a.attnotnull then ' not null' else '' end,
                  coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as text
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
  );
  // PostgreSQL 18 also lists NOT NULL as constraints; the columns tell that already.
  const constraints = await texts(
    db,
    sql`
    select format('  constraint %s %s', conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = ${table}::regclass and contype <> 'n' order by contype = 'p' desc, conname`,
  );
  const indexes = await texts(
    db,
    sql`
    select pg_get_indexdef(i.indexrelid) || ';' as text from pg_index i
    where i.indrelid = ${table}::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
    order by i.indexrelid::regclass::text`,
  );
  const triggers = await texts(
    db,
    sql`
    select pg_get_triggerdef(oid) || ';' as text from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal order by tgname`,
  );
  const end = kind ? `) ${kind};` : ');';
  return [`create table ${table} (`, [...columns, ...constraints].join(',\n'), end, ...indexes, ...triggers].join('\n');
}

async function texts(db: Db, query: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await query.execute(db);
  return rows.map((row) => String((row as { text: string }).text));
}
