extension PostgreSQLSchema {
    /// The blocks of columns that reports are counted from.
    static let columns = """
        -- Postbacks in the order of the commits, some thousands each: those behind (after_order, after_id), up to
        -- (last_order, last_id). All can be made again from skan.postback.
        CREATE TABLE skan.block (
            number int8 PRIMARY KEY,
            after_order int8 NOT NULL,
            after_id int8 NOT NULL,
            last_order int8 NOT NULL,
            last_id int8 NOT NULL,
            row_count int8 NOT NULL,
            missing_count int8 NOT NULL, -- that could not be read when it was written
            lowest_quarter int8 NOT NULL,
            highest_quarter int8 NOT NULL,
            rules int8 NOT NULL, -- the version of the rules by which values are made and encoded
            checksum int8 NOT NULL -- over all of these
        );
        CREATE INDEX block_last ON skan.block (last_order, last_id);

        CREATE TABLE skan.block_column (
            number int8 NOT NULL REFERENCES skan.block ON DELETE CASCADE,
            column_number int4 NOT NULL,
            lowest int8 NOT NULL,
            highest int8 NOT NULL,
            offsets bytea NOT NULL, -- from the lowest, little-endian
            checksum int8 NOT NULL, -- over these, the number of the column and the row of skan.block
            PRIMARY KEY (number, column_number)
        );
        CREATE INDEX block_column_highest ON skan.block_column (column_number, highest);
        -- Compressed, they would be read more slowly.
        ALTER TABLE skan.block_column ALTER COLUMN offsets SET STORAGE EXTERNAL;

        -- The texts that codes in blocks stand for. Those of skan.value count all columns together, which would make
        -- codes in blocks larger.
        CREATE TABLE skan.column_value (
            column_number int4 NOT NULL,
            code int8 NOT NULL,
            value text COLLATE "C" NOT NULL,
            checksum int8 NOT NULL,
            PRIMARY KEY (column_number, code)
        );
        CREATE INDEX column_value_value ON skan.column_value (column_number, value);

        -- Whoever changes facts takes away the block that has them, of whatever release. Blocks are written under the same
        -- lock, so that none is written from what was there before.
        CREATE FUNCTION skan.forget_block() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            -- Any other would not see a block that was written while this waited.
            IF current_setting('transaction_isolation') <> 'read committed' THEN
                RAISE EXCEPTION 'facts are changed in READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
            END IF;
            PERFORM pg_advisory_xact_lock(\(0x736b_616e_0003 as Int64));
            DELETE FROM skan.block
            WHERE (after_order, after_id) < (OLD.commit_order, OLD.id)
                AND (last_order, last_id) >= (OLD.commit_order, OLD.id);
            IF TG_OP = 'UPDATE' THEN
                DELETE FROM skan.block
                WHERE (after_order, after_id) < (NEW.commit_order, NEW.id)
                    AND (last_order, last_id) >= (NEW.commit_order, NEW.id);
            END IF;
            RETURN NULL;
        END $$;
        REVOKE EXECUTE ON FUNCTION skan.forget_block() FROM PUBLIC;
        CREATE TRIGGER postback_block AFTER UPDATE OR DELETE ON skan.postback
            FOR EACH ROW EXECUTE FUNCTION skan.forget_block();
        """
}
