-- Pikehall Forwarding: customers, shipments, claims and volumes. Today is 2026-02-03.
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO customers VALUES
 ('K-101', 'Castellan Books'), ('K-102', 'Orme Brewing'), ('K-103', 'Brackley Glass'), ('K-104', 'Brackley Gardens'),
 ('K-105', 'Whitcombe Pharma'), ('K-106', 'Tindall Brothers'), ('K-107', 'Kestrel Cycles'), ('K-108', 'Moss & Heron'),
 ('K-109', 'Lowell Tools'), ('K-110', 'Dunmore Ceilings');

CREATE TABLE shipments (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers(id), goods TEXT NOT NULL, pieces INTEGER NOT NULL,
  weight_kg REAL NOT NULL, depot TEXT NOT NULL, town TEXT NOT NULL, state TEXT NOT NULL, delivery_date TEXT NOT NULL,
  express INTEGER NOT NULL DEFAULT 0);
INSERT INTO shipments VALUES
 ('SH-58201', 'K-101', 'parcel', 12,   84,   'leeds',      'York',       'delivered',  '2026-01-12', 0),
 ('SH-58202', 'K-102', 'pallet',  4, 1840,   'bristol',    'Cardiff',    'delivered',  '2026-01-15', 0),
 ('SH-58203', 'K-105', 'parcel',  3,    9.5, 'dover',      'Canterbury', 'delivered',  '2026-01-19', 1),
 ('SH-58204', 'K-103', 'pallet',  2,  960,   'leeds',      'Sheffield',  'delivered',  '2026-01-20', 0),
 ('SH-58205', 'K-106', 'pallet',  6, 3100,   'felixstowe', 'Ipswich',    'delivered',  '2026-01-22', 0),
 ('SH-58206', 'K-107', 'parcel',  8,  152,   'glasgow',    'Stirling',   'returned',   '2026-01-23', 0),
 ('SH-58207', 'K-104', 'pallet',  3, 1210,   'bristol',    'Exeter',     'delivered',  '2026-01-27', 0),
 ('SH-58208', 'K-109', 'parcel',  5,   61,   'leeds',      'Hull',       'delivered',  '2026-01-28', 0),
 ('SH-58209', 'K-101', 'pallet',  2, 1130,   'dover',      'Maidstone',  'delivered',  '2026-01-29', 0),
 ('SH-58210', 'K-108', 'parcel',  1,    4.2, 'glasgow',    'Perth',      'returned',   '2026-01-30', 0),
 ('SH-58211', 'K-105', 'parcel',  2,    7,   'felixstowe', 'Norwich',    'delivered',  '2026-02-02', 1),
 ('SH-58212', 'K-103', 'parcel',  6,   44,   'leeds',      'Bradford',   'in_transit', '2026-02-02', 0),
 ('SH-58213', 'K-102', 'pallet',  5, 2300,   'bristol',    'Swansea',    'in_transit', '2026-02-04', 0),
 ('SH-58214', 'K-106', 'pallet',  8, 4150,   'felixstowe', 'Cambridge',  'at_depot',   '2026-02-04', 0),
 ('SH-58215', 'K-107', 'parcel', 10,  190,   'glasgow',    'Inverness',  'at_depot',   '2026-02-05', 0),
 ('SH-58216', 'K-104', 'pallet',  2,  780,   'bristol',    'Bath',       'on_hold',    '2026-02-03', 0),
 ('SH-58217', 'K-110', 'pallet',  7, 2650,   'dover',      'Brighton',   'on_hold',    '2026-02-05', 0),
 ('SH-58218', 'K-101', 'parcel', 20,  140,   'leeds',      'Harrogate',  'in_transit', '2026-02-03', 0),
 ('SH-58219', 'K-103', 'pallet',  1,  420,   'leeds',      'Doncaster',  'delivered',  '2026-02-02', 0),
 ('SH-58220', 'K-105', 'parcel',  4,   12,   'dover',      'Folkestone', 'in_transit', '2026-02-03', 1),
 ('SH-58221', 'K-109', 'pallet',  3, 1550,   'leeds',      'Wakefield',  'booked',     '2026-02-06', 0),
 ('SH-58222', 'K-108', 'parcel',  2,    6.8, 'glasgow',    'Dundee',     'at_depot',   '2026-02-06', 0),
 ('SH-58223', 'K-102', 'pallet',  6, 2760,   'bristol',    'Newport',    'booked',     '2026-02-07', 0),
 ('SH-58224', 'K-110', 'pallet',  4, 1500,   'dover',      'Hastings',   'booked',     '2026-02-07', 0),
 ('SH-58225', 'K-106', 'pallet',  2,  640,   'felixstowe', 'Colchester', 'booked',     '2026-02-09', 0),
 ('SH-58226', 'K-107', 'parcel',  3,   57,   'glasgow',    'Oban',       'booked',     '2026-02-09', 0),
 ('SH-58227', 'K-101', 'pallet',  3, 1680,   'dover',      'Ashford',    'booked',     '2026-02-10', 0),
 ('SH-58228', 'K-104', 'parcel',  9,  118,   'bristol',    'Taunton',    'at_depot',   '2026-02-05', 0),
 ('SH-58229', 'K-105', 'parcel',  1,    2.1, 'felixstowe', 'Thetford',   'booked',     '2026-02-11', 1),
 ('SH-58230', 'K-109', 'parcel',  7,   95,   'leeds',      'Scarborough','booked',     '2026-02-12', 0),
 ('SH-58231', 'K-110', 'pallet',  5, 2010,   'glasgow',    'Paisley',    'booked',     '2026-02-13', 0),
 ('SH-58232', 'K-103', 'pallet',  4, 1890,   'leeds',      'Leicester',  'booked',     '2026-02-16', 0);

CREATE TABLE claims (
  id TEXT PRIMARY KEY, shipment_id TEXT NOT NULL REFERENCES shipments(id), kind TEXT NOT NULL, amount REAL NOT NULL,
  status TEXT NOT NULL, opened_on TEXT NOT NULL, reason TEXT NOT NULL);
INSERT INTO claims VALUES
 ('CL-761', 'SH-58201', 'damage',      140,   'paid',     '2026-01-13', 'two cartons wet'),
 ('CL-762', 'SH-58202', 'delay',        90,   'rejected', '2026-01-16', 'one day behind schedule'),
 ('CL-763', 'SH-58203', 'loss',        310,   'paid',     '2026-01-20', 'one cool box not found'),
 ('CL-764', 'SH-58204', 'damage',     1250,   'approved', '2026-01-21', 'sheet glass cracked'),
 ('CL-765', 'SH-58205', 'damage',      480,   'open',     '2026-01-23', 'forklift hole in a crate'),
 ('CL-766', 'SH-58206', 'misdelivery',  75,   'open',     '2026-01-26', 'went to the old shop'),
 ('CL-767', 'SH-58207', 'delay',       120,   'approved', '2026-01-28', 'plants left out overnight'),
 ('CL-768', 'SH-58208', 'loss',         95.5, 'open',     '2026-01-29', 'one of five cartons short'),
 ('CL-769', 'SH-58209', 'damage',      660,   'approved', '2026-01-30', 'pallet tipped over'),
 ('CL-770', 'SH-58210', 'misdelivery',  45,   'rejected', '2026-02-02', 'address was wrong on the label'),
 ('CL-771', 'SH-58211', 'damage',      230,   'open',     '2026-02-02', 'cool chain broken'),
 ('CL-772', 'SH-58207', 'damage',     2100,   'open',     '2026-02-02', 'olive trees snapped'),
 ('CL-773', 'SH-58212', 'delay',        60,   'open',     '2026-02-03', 'still not there on the due day');

-- An ordinary month of a customer at a depot, and how strong each month was.
CREATE TABLE lanes (customer_id TEXT NOT NULL, depot TEXT NOT NULL, parcels INTEGER NOT NULL, pallets INTEGER NOT NULL, weight_kg INTEGER NOT NULL);
INSERT INTO lanes VALUES
 ('K-101', 'leeds', 160, 6, 4300), ('K-101', 'dover', 40, 12, 6900), ('K-102', 'bristol', 10, 48, 22100),
 ('K-102', 'leeds', 0, 14, 6400), ('K-103', 'leeds', 36, 20, 9900), ('K-104', 'bristol', 52, 16, 7100),
 ('K-105', 'dover', 90, 0, 310), ('K-105', 'felixstowe', 70, 2, 540), ('K-106', 'felixstowe', 0, 60, 30500),
 ('K-107', 'glasgow', 110, 4, 3050), ('K-108', 'glasgow', 45, 0, 190), ('K-109', 'leeds', 75, 18, 9300),
 ('K-110', 'dover', 0, 30, 12800), ('K-110', 'glasgow', 0, 22, 8700);
CREATE TABLE months (month TEXT PRIMARY KEY, strength REAL NOT NULL);
INSERT INTO months VALUES ('2025-08', 0.8), ('2025-09', 1.0), ('2025-10', 1.1), ('2025-11', 1.3), ('2025-12', 1.5), ('2026-01', 0.9);
CREATE VIEW volumes AS
  SELECT m.month, l.customer_id, c.name AS customer, l.depot, CAST(round(l.parcels * m.strength) AS INTEGER) AS parcels,
         CAST(round(l.pallets * m.strength) AS INTEGER) AS pallets, CAST(round(l.weight_kg * m.strength) AS INTEGER) AS weight_kg
  FROM lanes l JOIN customers c ON c.id = l.customer_id CROSS JOIN months m;
