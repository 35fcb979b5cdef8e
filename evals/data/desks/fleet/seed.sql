-- Municipality of Hollerup: vehicle pool. Today is 2026-11-10.
CREATE TABLE vehicles (
  id TEXT PRIMARY KEY, model TEXT NOT NULL, kind TEXT NOT NULL, seats INTEGER NOT NULL, electric INTEGER NOT NULL, bought TEXT NOT NULL);
INSERT INTO vehicles VALUES
 ('FL-201', 'Skoda Octavia',    'car',        5, 0, '2019-03-04'),
 ('FL-202', 'VW ID.3',          'car',        5, 1, '2022-06-20'),
 ('FL-203', 'VW ID.3',          'car',        5, 1, '2023-02-13'),
 ('FL-204', 'Renault Zoe',      'car',        5, 1, '2021-09-01'),
 ('FL-205', 'Toyota Yaris',     'car',        5, 0, '2020-05-11'),
 ('FL-206', 'Ford Transit',     'van',        3, 0, '2018-10-08'),
 ('FL-207', 'Mercedes eVito',   'minibus',    8, 1, '2024-01-15'),
 ('FL-208', 'VW Caravelle',     'minibus',    9, 0, '2017-07-03'),
 ('FL-209', 'Opel Vivaro-e',    'van',        3, 1, '2023-08-21'),
 ('FL-210', 'Gazelle Ami',      'bicycle',    1, 1, '2022-04-04'),
 ('FL-211', 'Batavus Dinsdag',  'bicycle',    1, 0, '2019-05-20'),
 ('FL-212', 'Urban Arrow',      'cargo_bike', 1, 1, '2023-03-27'),
 ('FL-213', 'Christiania Box',  'cargo_bike', 1, 0, '2020-08-10'),
 ('FL-214', 'Dacia Jogger',     'car',        7, 0, '2024-05-06');

CREATE TABLE drivers (id TEXT PRIMARY KEY, name TEXT NOT NULL, office TEXT NOT NULL);
INSERT INTO drivers VALUES
 ('DR-11', 'Henrike Vos',      'planning'),
 ('DR-12', 'Lars Tidemand',    'building inspection'),
 ('DR-13', 'Marit Solberg',    'fleet office'),
 ('DR-14', 'Osman Yildiz',     'parks'),
 ('DR-15', 'Catherine Abbott', 'social services'),
 ('DR-16', 'Peter Tidemand',   'finance'),
 ('DR-17', 'Jolanda Brink',    'registry'),
 ('DR-18', 'Wilfried Hauser',  'civil engineering'),
 ('DR-19', 'Aoife Brennan',    'youth office'),
 ('DR-20', 'Samuel Okoro',     'IT'),
 ('DR-21', 'Birgit Nygaard',   'mayor''s office'),
 ('DR-22', 'Henrik Falk',      'environment');

CREATE TABLE reservations (
  id TEXT PRIMARY KEY, vehicle_id TEXT NOT NULL REFERENCES vehicles(id), driver_id TEXT NOT NULL REFERENCES drivers(id),
  start_date TEXT NOT NULL, end_date TEXT NOT NULL, pick_up TEXT NOT NULL DEFAULT '08:00');
INSERT INTO reservations VALUES
 ('RS-51', 'FL-204', 'DR-12', '2026-11-03', '2026-11-03', '08:00'),
 ('RS-52', 'FL-208', 'DR-19', '2026-11-06', '2026-11-08', '13:00'),
 ('RS-53', 'FL-201', 'DR-18', '2026-11-09', '2026-11-11', '07:30'),
 ('RS-54', 'FL-204', 'DR-11', '2026-11-12', '2026-11-12', '08:00'),
 ('RS-55', 'FL-202', 'DR-15', '2026-11-11', '2026-11-13', '08:00'),
 ('RS-56', 'FL-206', 'DR-14', '2026-11-16', '2026-11-17', '06:30'),
 ('RS-57', 'FL-212', 'DR-14', '2026-11-12', '2026-11-13', '09:00'),
 ('RS-58', 'FL-208', 'DR-19', '2026-11-20', '2026-11-22', '15:00'),
 ('RS-59', 'FL-207', 'DR-21', '2026-11-19', '2026-11-19', '10:00'),
 ('RS-60', 'FL-204', 'DR-22', '2026-11-17', '2026-11-18', '08:00'),
 ('RS-61', 'FL-203', 'DR-17', '2026-11-16', '2026-11-20', '08:00'),
 ('RS-62', 'FL-210', 'DR-20', '2026-11-10', '2026-11-10', '11:00'),
 ('RS-63', 'FL-214', 'DR-16', '2026-11-23', '2026-11-24', '08:00'),
 ('RS-64', 'FL-204', 'DR-15', '2026-11-26', '2026-11-26', '08:00'),
 ('RS-65', 'FL-201', 'DR-12', '2026-11-18', '2026-11-19', '08:30'),
 ('RS-66', 'FL-208', 'DR-21', '2026-12-03', '2026-12-04', '09:00'),
 ('RS-67', 'FL-209', 'DR-18', '2026-11-24', '2026-11-27', '07:00'),
 ('RS-68', 'FL-205', 'DR-11', '2026-12-01', '2026-12-02', '08:00'),
 ('RS-69', 'FL-202', 'DR-20', '2026-11-30', '2026-12-01', '08:00'),
 ('RS-70', 'FL-212', 'DR-14', '2026-12-08', '2026-12-09', '08:00');

CREATE TABLE trips (
  id TEXT PRIMARY KEY, vehicle_id TEXT NOT NULL REFERENCES vehicles(id), driver_id TEXT NOT NULL REFERENCES drivers(id),
  day TEXT NOT NULL, km INTEGER NOT NULL);
INSERT INTO trips VALUES
 ('TR-9001', 'FL-204', 'DR-12', '2026-11-03',  41),
 ('TR-9002', 'FL-206', 'DR-14', '2026-11-04',  63),
 ('TR-9003', 'FL-205', 'DR-11', '2026-11-05',  28),
 ('TR-9004', 'FL-208', 'DR-19', '2026-11-06', 187),
 ('TR-9005', 'FL-208', 'DR-19', '2026-11-08', 191),
 ('TR-9006', 'FL-211', 'DR-17', '2026-11-09',   9),
 ('TR-9007', 'FL-201', 'DR-18', '2026-11-09',  74),
 ('TR-9008', 'FL-214', 'DR-16', '2026-11-09',  52),
 ('TR-9009', 'FL-210', 'DR-20', '2026-11-10',   6);

CREATE TABLE services (
  id TEXT PRIMARY KEY, vehicle_id TEXT NOT NULL REFERENCES vehicles(id), day TEXT NOT NULL, kind TEXT NOT NULL, work TEXT NOT NULL, cost REAL NOT NULL);
INSERT INTO services VALUES
 ('SV-301', 'FL-208', '2023-07-11', 'inspection', 'general inspection passed',       118.00),
 ('SV-302', 'FL-206', '2024-10-14', 'inspection', 'general inspection passed',       118.00),
 ('SV-303', 'FL-201', '2025-03-10', 'inspection', 'general inspection passed',       109.00),
 ('SV-304', 'FL-208', '2025-07-08', 'inspection', 'passed, exhaust noted',           118.00),
 ('SV-305', 'FL-204', '2025-09-02', 'inspection', 'battery at 91 percent',            95.00),
 ('SV-306', 'FL-202', '2025-06-24', 'inspection', 'general inspection passed',        95.00),
 ('SV-307', 'FL-206', '2025-11-18', 'tyres',      'winter tyres fitted',              80.00),
 ('SV-308', 'FL-206', '2026-02-09', 'repair',     'sliding door rail replaced',      412.60),
 ('SV-309', 'FL-209', '2026-03-03', 'recall',     'software of the charger',           0.00),
 ('SV-310', 'FL-201', '2026-04-13', 'tyres',      'summer tyres fitted',              72.00),
 ('SV-311', 'FL-212', '2026-04-20', 'inspection', 'belt and brakes checked',          65.00),
 ('SV-312', 'FL-214', '2026-05-11', 'inspection', 'first inspection',                 109.00),
 ('SV-313', 'FL-208', '2026-06-16', 'repair',     'exhaust replaced',                688.00),
 ('SV-314', 'FL-209', '2026-07-21', 'repair',     'rear door lock',                  236.40),
 ('SV-315', 'FL-212', '2026-08-18', 'repair',     'stand welded',                     48.00),
 ('SV-316', 'FL-206', '2026-09-15', 'repair',     'clutch replaced',                 934.20),
 ('SV-317', 'FL-214', '2026-09-28', 'repair',     'front brake pads',                289.00),
 ('SV-318', 'FL-204', '2026-10-06', 'repair',     'charging flap',                   154.75),
 ('SV-319', 'FL-207', '2026-10-12', 'cleaning',   'interior cleaned',                 85.00),
 ('SV-320', 'FL-201', '2026-10-19', 'tyres',      'winter tyres fitted',              72.00),
 ('SV-321', 'FL-214', '2026-10-20', 'tyres',      'winter tyres fitted',              72.00),
 ('SV-322', 'FL-208', '2026-10-27', 'repair',     'heater fan',                      347.90);

CREATE TABLE costs (vehicle_id TEXT NOT NULL REFERENCES vehicles(id), day TEXT NOT NULL, kind TEXT NOT NULL, amount REAL NOT NULL, note TEXT NOT NULL);
INSERT INTO costs VALUES
 ('FL-208', '2026-06-16', 'repair',    688.00, 'SV-313'),
 ('FL-201', '2026-06-18', 'fine',       35.00, 'parked on a cycle lane'),
 ('FL-205', '2026-06-22', 'parking',    14.00, 'station car park'),
 ('FL-206', '2026-06-25', 'fuel',       92.30, 'diesel'),
 ('FL-209', '2026-07-01', 'insurance', 318.00, 'second half-year'),
 ('FL-208', '2026-07-01', 'insurance', 402.00, 'second half-year'),
 ('FL-209', '2026-07-21', 'repair',    236.40, 'SV-314'),
 ('FL-204', '2026-07-27', 'charging',   38.20, ''),
 ('FL-212', '2026-08-18', 'repair',     48.00, 'SV-315'),
 ('FL-201', '2026-08-05', 'fine',      115.00, '24 km/h too fast'),
 ('FL-214', '2026-08-20', 'fine',       25.00, 'no parking disc'),
 ('FL-206', '2026-08-26', 'fine',       70.00, '16 km/h too fast'),
 ('FL-206', '2026-09-04', 'fuel',       88.10, 'diesel'),
 ('FL-208', '2026-09-11', 'fuel',      104.50, 'diesel'),
 ('FL-206', '2026-09-15', 'repair',    934.20, 'SV-316'),
 ('FL-214', '2026-09-28', 'repair',    289.00, 'SV-317'),
 ('FL-205', '2026-09-30', 'fuel',       51.40, 'petrol'),
 ('FL-204', '2026-10-06', 'repair',    154.75, 'SV-318'),
 ('FL-204', '2026-10-09', 'charging',   29.60, ''),
 ('FL-202', '2026-10-14', 'charging',   33.15, ''),
 ('FL-207', '2026-10-15', 'charging',   47.80, ''),
 ('FL-208', '2026-10-16', 'fuel',       99.90, 'diesel'),
 ('FL-208', '2026-10-27', 'repair',    347.90, 'SV-322'),
 ('FL-214', '2026-10-28', 'fine',       30.00, 'parked too long'),
 ('FL-205', '2026-11-03', 'parking',     8.50, 'town hall annex'),
 ('FL-205', '2026-11-05', 'fuel',       47.20, 'petrol'),
 ('FL-201', '2026-11-05', 'parking',    16.00, 'hospital'),
 ('FL-206', '2026-11-06', 'fuel',       90.75, 'diesel'),
 ('FL-208', '2026-11-08', 'parking',    24.00, 'harbour');
