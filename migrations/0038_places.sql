-- Contacts near a place, and within a polygon: an address is found by its band of latitude, a twentieth of a degree high, and its longitude there.
-- The statement need not read the row: what it compares and what it yields is in the index.
create index addresses_places on addresses (group_id, floor(latitude * 20), longitude) include (latitude, contact_id) where longitude is not null;
-- How many contacts are expected in a place depends on statistics of the expression, which only this gathers.
analyze addresses;
