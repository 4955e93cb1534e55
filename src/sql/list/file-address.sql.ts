/**
 * Addresses of files in the records of units, made by PostgreSQL as all of their JSON. A signature is the HMAC-SHA-256
 * (RFC 2104) that `file/url/signed-url.ts` checks, of which the key gives the blocks before the two hashes.
 */
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import { SIZED_TYPES } from '../../model/built-in/sized-types.js';
import { FILES_TABLE } from '../../model/table/internal-tables.js';
import { ident, join, literal, param, passingParam, sql, type Fragment } from '../fragment.js';

/** How addresses of files are made for a caller. */
export interface FileAddresses {
  readonly schema: string;
  /** What stands before the id. */
  readonly path: string;
  /** Undefined for strangers, whose addresses have no signature. */
  readonly signed?: {
    /** Seconds since 1970. */
    readonly expires: string;
    /** The key for addresses that end then. */
    readonly key: Buffer;
    /** The only member whose pictures are opened as they were uploaded, others in sizes; undefined where all are. */
    readonly originalsOf?: string;
  };
}

/** The address of the file that is the row. */
export function addressSql({ schema, path, signed }: FileAddresses, row: string): Fragment {
  const address = sql`${param(path)}::text || ${ident(row, 'id')}::text || '/' || ${urlEncoded(ident(row, 'name'))}`;
  if (!signed) return address;
  const { expires, key, originalsOf } = signed;
  const mac = base64url(hmac(key, sql`(SELECT "epoch" FROM ${ident(schema, FILES_TABLE)}) || ' ' || _f.signed`));
  const query = sql`${passingParam(`?expires=${expires}&signature=`)}::text`;
  const opens = sql`_f.opens || '.' || _f.object || '.'`;
  return sql`(
    SELECT ${address} || ${query} || ${opens} || ${mac}
    FROM (
      SELECT *, _o.id || ' ' || _o.opens || ' ' || _o.object AS signed
      FROM (
        SELECT
          ${ident(row, 'id')}::text AS id,
          ${openedClass(row, originalsOf)} AS opens,
          left(right(${ident(row, OBJECT_FIELD)}, 32), 8) AS object
      ) AS _o
    ) AS _f
  )`;
}

/** What the address opens: the original and its sizes (`o`), or the sizes alone (`s`). */
function openedClass(row: string, originalsOf: string | undefined): Fragment {
  if (originalsOf === undefined) return sql`'o'`;
  const isPicture = sql`${ident(row, 'media_type')} IN (${join(SIZED_TYPES.map(literal))})`;
  const isOthers = sql`${ident(row, 'owner')} IS DISTINCT FROM ${param(originalsOf)}::uuid`;
  return sql`CASE WHEN ${isPicture} AND ${isOthers} THEN 's' ELSE 'o' END`;
}

/** Bytes of a block of SHA-256. A key of at most as many is filled up with zeros. */
const BLOCK = 64;

function hmac(key: Buffer, text: Fragment): Fragment {
  const inner = sql`sha256(${padded(key, 0x36)} || convert_to(${text}, 'UTF8'))`;
  return sql`sha256(${padded(key, 0x5c)} || ${inner})`;
}

function padded(key: Buffer, pad: number): Fragment {
  const block = Buffer.alloc(BLOCK);
  key.copy(block);
  return sql`${passingParam(`\\x${Buffer.from(block.map((byte) => byte ^ pad)).toString('hex')}`)}::bytea`;
}

/** Of 32 bytes, which PostgreSQL writes in one line. */
function base64url(bytes: Fragment): Fragment {
  return sql`translate(encode(${bytes}, 'base64'), '+/=', '-_')`;
}

/** A character that `encodeURIComponent` leaves as it is, and a text of such alone. */
const PLAIN = { one: literal("^[A-Za-z0-9_.!~*'()-]$"), all: literal("^[A-Za-z0-9_.!~*'()-]*$") };

/** What `encodeURIComponent` makes of a text. */
function urlEncoded(text: Fragment): Fragment {
  const bytes = sql`upper(encode(convert_to(_c.c, 'UTF8'), 'hex'))`;
  const encoded = sql`regexp_replace(${bytes}, '(..)', ${literal('%\\1')}, 'g')`;
  return sql`
    CASE
      WHEN ${text} COLLATE "C" ~ ${PLAIN.all} THEN ${text}
      ELSE (
        SELECT string_agg(CASE WHEN _c.c COLLATE "C" ~ ${PLAIN.one} THEN _c.c ELSE ${encoded} END, '' ORDER BY _c.n)
        FROM unnest(string_to_array(${text}, NULL)) WITH ORDINALITY AS _c(c, n)
      )
    END
  `;
}
